import { cors } from "./respond.ts";

/** Proxies and clients drop a silent connection, so it gets a comment this often. */
export const keepAliveMs = 10_000;

/** The writing end of a stream of server-sent events. */
export type Sink = {
  /** Whether the client has disconnected. */
  readonly gone: () => boolean;
  /** Whether the server stops. */
  readonly stops: () => boolean;
  readonly send: (lines: string) => void;
};

/**
 * A response of server-sent events. It ends when `write` has ended, which must not reject.
 * @param signal aborts when the server stops.
 */
export function eventStream(
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
  write: (sink: Sink) => Promise<void>,
): Response {
  let isGone = false;
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const sink: Sink = {
        gone: () => isGone,
        stops: () => signal?.aborted === true,
        send(lines) {
          if (!isGone) controller.enqueue(encoder.encode(`${lines}\n\n`));
        },
      };
      void write(sink).then(() => {
        if (!isGone) controller.close();
      });
    },
    cancel() {
      isGone = true;
    },
  });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      ...cors,
      ...headers,
    },
  });
}
