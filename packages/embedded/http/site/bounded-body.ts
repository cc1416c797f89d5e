import type { IncomingMessage } from "node:http";

export type BoundedBody = {
  readonly stream: ReadableStream<Uint8Array>;
  /** Aborted once the body exceeds the limit; the stream has then failed. */
  readonly tooLarge: AbortSignal;
  /** Stops reading; `drain` takes the rest. */
  readonly abandon: () => void;
};

/**
 * A request's body as a stream with backpressure. The stream never closes the request's connection, because the
 * answer needs it.
 */
export function boundedBody(incoming: IncomingMessage, limit: number): BoundedBody {
  const tooLarge = new AbortController();
  let size = 0;
  let isOver = false;
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const end = (act: () => void): void => {
        if (isOver) return;
        isOver = true;
        act();
      };
      incoming.pause();
      incoming.on("data", (chunk: Buffer) => {
        if (isOver) return;
        size += chunk.length;
        if (size > limit) {
          end(() => controller.error(new Error("Body too large")));
          tooLarge.abort();
          return;
        }
        controller.enqueue(new Uint8Array(chunk));
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
      });
      incoming.once("end", () => end(() => controller.close()));
      incoming.once("error", (error) => end(() => controller.error(error)));
      incoming.once("close", () => end(() => controller.error(new Error("The body ended early"))));
    },
    pull() {
      incoming.resume();
    },
    cancel() {
      isOver = true;
    },
  });
  const abandon = (): void => {
    isOver = true;
  };
  return { stream, tooLarge: tooLarge.signal, abandon };
}
