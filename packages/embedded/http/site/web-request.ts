import type { IncomingMessage } from "node:http";

/** Largest body of a response, as in Convex, and of a request, where the limit is ours. */
export const maxHttpActionBytes = 20 * 1024 * 1024;

const withoutBody = new Set(["GET", "HEAD"]);
/** Methods that `Request` refuses to carry. */
const forbidden = new Set(["CONNECT", "TRACE", "TRACK"]);

export const bodyTooLarge = { kind: "refused", status: 413, message: "Body too large" } as const;

type WebRequest =
  | {
      readonly kind: "ok";
      readonly request: Request;
      /** Aborted once the body is too large. */
      readonly tooLarge: AbortSignal;
      /** Call after answering, whether or not the body was read. */
      readonly abandonBody: () => void;
    }
  | { readonly kind: "refused"; readonly status: number; readonly message: string };

/**
 * A request as HTTP actions see it. The body streams, and fails above the size limit. `signal` aborts when the
 * client has left.
 */
export function toWebRequest(incoming: IncomingMessage, origin: string, signal: AbortSignal): WebRequest {
  const method = incoming.method ?? "GET";
  if (forbidden.has(method)) return { kind: "refused", status: 405, message: "Method not allowed" };
  const announced = Number(incoming.headers["content-length"] ?? 0);
  if (announced > maxHttpActionBytes) return bodyTooLarge;
  const url = parseUrl(incoming.url ?? "/", origin);
  if (url === null) return { kind: "refused", status: 400, message: "Invalid URL" };
  const { stream, tooLarge, abandon } = boundedBody(incoming, maxHttpActionBytes);
  const body = withoutBody.has(method) ? null : stream;
  const init = { method, headers: headersOf(incoming), signal, body, duplex: "half" } as const;
  return { kind: "ok", request: new Request(url, init), tooLarge, abandonBody: abandon };
}

function parseUrl(path: string, origin: string): URL | null {
  // An absolute-form target could otherwise choose its own host.
  return path.startsWith("/") ? URL.parse(origin + path) : null;
}

function headersOf(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at] ?? "", incoming.rawHeaders[at + 1] ?? "");
  }
  return headers;
}

type BoundedBody = {
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
function boundedBody(incoming: IncomingMessage, limit: number): BoundedBody {
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
