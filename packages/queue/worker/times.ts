/** Milliseconds. The queue's lease is 40 s, and it shows a worker as offline after 150 s of silence. */
export type WorkerTimes = {
  /** From the last call to a heartbeat, while jobs are held. */
  readonly heartbeatHoldingMs: number;
  /** The same while no job is held: a little over a minute, so that an idle hour costs at most sixty calls. */
  readonly heartbeatIdleMs: number;
  /** Between two chunks of text, at least. */
  readonly chunkEveryMs: number;
  /** Between two reports of progress, at least. A shorter job reports none. */
  readonly progressEveryMs: number;
  /** A job that another worker is woken for first is left to that worker for so long. */
  readonly lateAfterMs: number;
  /** The same for a job that another worker holds: it may have begun, and reports its start only if it lasts. */
  readonly heldLateAfterMs: number;
  /** A handed job begins at once. The queue is told of its start only if it is not done by then. */
  readonly startAfterMs: number;
  /** After so long the worker watches a job that it holds. Until then a cancellation waits. */
  readonly heldAfterMs: number;
  /** A job that was claimed in vain is tried again after this: its worker may have given it back unseen. */
  readonly triedForMs: number;
  /** For so long no job is taken when another program uses the same key. */
  readonly usedElsewhereMs: number;
};

export const workerTimes: WorkerTimes = {
  heartbeatHoldingMs: 15_000,
  heartbeatIdleMs: 65_000,
  chunkEveryMs: 250,
  progressEveryMs: 1_000,
  lateAfterMs: 400,
  heldLateAfterMs: 2_000,
  startAfterMs: 500,
  heldAfterMs: 300,
  triedForMs: 1_000,
  usedElsewhereMs: 60_000,
};
