const hourMs = 3_600_000;

export type SweeperOptions = {
  /** Removes what is old; it stops between two batches once the signal says so. */
  readonly sweep: (signal: AbortSignal) => Promise<unknown>;
  /** Told of a sweep that failed; the next one tries again. */
  readonly onError: (error: unknown) => void;
};

/**
 * Sweeps now and once an hour, one sweep at a time. The returned function stops it and resolves when no sweep is
 * under way any more; call it before the engine is closed.
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
