import type { Readable } from "node:stream";

/**
 * The body's chunks, until it ends, is cut, the signal is given, or nothing came for `idleMs` while it was waited for.
 * Throws at all but the end. The time that the reader takes between two chunks does not count.
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
      const timer = setTimeout(() => void body.destroy(new Error("nothing came for too long")), idleMs);
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
