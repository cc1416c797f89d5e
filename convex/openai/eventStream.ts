import { cors } from "./respond.ts";

/** Proxies and clients drop a silent connection, so it gets a comment this often. */
export const keepAliveMs = 10_000;

/** How a stream is written. */
export type StreamForm = {
  readonly contentType: string;
  /** Ends each event. */
  readonly end: string;
  /** Sent while the job has no new text. */
  readonly keepAlive: (state: "queued" | "working") => string;
};

export const serverSentEvents: StreamForm = {
  contentType: "text/event-stream; charset=utf-8",
  end: "\n\n",
  keepAlive: (state) => `: ${state}`,
};

/** A server-sent event with a name. `id`: with it a reader that connects again goes on after the event. */
export function namedEvent(name: string, data: object, id?: string): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}`;
}

/** The writing end of a stream of events. */
export type Sink = {
  /** Whether the client has disconnected. */
  readonly gone: () => boolean;
  /** Whether the server stops. */
  readonly stops: () => boolean;
  readonly send: (lines: string) => void;
};

/**
 * A response of events. It ends when `write` has ended, which must not reject.
 * @param signal aborts when the server stops.
 */
export function eventStream(
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
  write: (sink: Sink) => Promise<void>,
  { contentType, end }: StreamForm = serverSentEvents,
): Response {
  let isGone = false;
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const sink: Sink = {
        gone: () => isGone,
        stops: () => signal?.aborted === true,
        send(lines) {
          if (!isGone) controller.enqueue(encoder.encode(`${lines}${end}`));
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
      "content-type": contentType,
      "cache-control": "no-cache",
      ...cors,
      ...headers,
    },
  });
}
