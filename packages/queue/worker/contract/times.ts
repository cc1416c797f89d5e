/** Milliseconds. The queue's lease is 40 s, and it shows a worker as offline after 150 s of silence. */
export type WorkerTimes = {
  /** Time from the last call to a heartbeat, while the worker holds jobs. */
  readonly heartbeatHoldingMs: number;
  /** The same while it holds none: a little over a minute, so that an idle hour costs at most sixty calls. */
  readonly heartbeatIdleMs: number;
  /**
   * Between two chunks of a long text, at least. The first chunk is sent at once, and the next ones follow more closely: each
   * chunk costs a call of the worker and one of each reader, and a reader waits mostly for the beginning.
   */
  readonly chunkEveryMs: number;
  /** Between the first chunks, at least. */
  readonly firstChunksEveryMs: number;
  /** Between two reports of progress, at least. A shorter job reports none. */
  readonly progressEveryMs: number;
  /** How long a job is left to the worker that it wakes first. */
  readonly lateAfterMs: number;
  /** How long a prefetched job is left to its worker, which may be running it: a short run is not reported. */
  readonly heldLateAfterMs: number;
  /** When the start of a handed job is reported. A job that ends sooner reports only its end. */
  readonly startAfterMs: number;
  /** When the worker subscribes to `held` for a job. Until then it does not notice a cancellation. */
  readonly heldAfterMs: number;
  /** How long a job is skipped after a failed claim. The other worker may have released it by then. */
  readonly triedForMs: number;
  /** How long the worker takes no jobs after it saw another program with the same key. */
  readonly usedElsewhereMs: number;
};

export const workerTimes: WorkerTimes = {
  heartbeatHoldingMs: 15_000,
  heartbeatIdleMs: 65_000,
  chunkEveryMs: 700,
  firstChunksEveryMs: 100,
  progressEveryMs: 1_000,
  lateAfterMs: 400,
  heldLateAfterMs: 2_000,
  startAfterMs: 500,
  heldAfterMs: 300,
  triedForMs: 1_000,
  usedElsewhereMs: 60_000,
};
