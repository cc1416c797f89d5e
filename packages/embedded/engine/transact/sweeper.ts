const hourMs = 3_600_000;

type SweeperOptions = {
  /** Removes old rows. Stops between two batches once the signal aborts. */
  readonly sweep: (signal: AbortSignal) => Promise<unknown>;
  /** Called after a failed sweep. The next sweep tries again. */
  readonly onError: (error: unknown) => void;
};

/**
 * Sweeps now and once an hour, one sweep at a time. The returned function stops it and resolves when the current
 * sweep is done; call it before closing the engine.
 */
export function startSweeper({ sweep, onError }: SweeperOptions): () => Promise<void> {
  const stopping = new AbortController();
  let sweeping: Promise<void> | null = null;
  const begin = (): void => {
    sweeping ??= Promise.resolve()
      .then(() => sweep(stopping.signal))
      .then(() => undefined, onError)
      .finally(() => {
        sweeping = null;
      });
  };
  begin();
  const timer = setInterval(begin, hourMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    stopping.abort();
    await sweeping;
  };
}
