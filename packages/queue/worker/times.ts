/** Milliseconds. The queue's lease is 40 s, and it shows a worker as offline after 150 s of silence. */
export type WorkerTimes = {
  /** After the last thing said, while jobs are held. */
  readonly heartbeatHoldingMs: number;
  /** The same while none is held: a little above a minute, so that an idle hour has room for more than heartbeats. */
  readonly heartbeatIdleMs: number;
  /** Text is appended at most this often. */
  readonly chunkEveryMs: number;
  /** How far a job is, is told at most this often, and of a shorter job not at all. */
  readonly progressEveryMs: number;
  /** A job that another is woken for first is left to that one for so long. */
  readonly lateAfterMs: number;
  /** The same for one that another holds: it may have begun, and says so when it lasts. */
  readonly heldLateAfterMs: number;
  /** A job that was handed over begins at once; the queue is told when it is not done by then. */
  readonly startAfterMs: number;
  /** What is held for longer is watched: until then a cancellation waits. */
  readonly heldAfterMs: number;
  /** A job that was taken may be given back unseen: it is tried again after this. */
  readonly triedForMs: number;
  /** How long nothing is taken when another program uses the same key. */
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
