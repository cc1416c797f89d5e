import type { Readable } from "node:stream";

/**
 * Yields the body's chunks until it ends. Throws if the connection breaks, if the signal aborts, or after
 * `idleMs` without a chunk. The reader's own time between chunks does not count.
 */
export async function* readChunks(
  body: Readable,
  idleMs: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  const stop = (): void => void body.destroy(new Error("aborted"));
  signal.addEventListener("abort", stop);
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      if (signal.aborted) throw new Error("aborted");
      const timer = setTimeout(() => void body.destroy(new Error("no data came for too long")), idleMs);
      const next = (await chunks.next().finally(() => clearTimeout(timer))) as IteratorResult<
        Buffer,
        unknown
      >;
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener("abort", stop);
    body.destroy();
  }
}
