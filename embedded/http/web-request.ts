import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";

export const MAX_HTTP_ACTION_BYTES = 20 * 1024 * 1024;

const WITHOUT_BODY = new Set(["GET", "HEAD"]);
/** Methods that `Request` refuses to carry. */
const FORBIDDEN = new Set(["CONNECT", "TRACE", "TRACK"]);

export type WebRequest =
  | { readonly kind: "ok"; readonly request: Request }
  | { readonly kind: "refused"; readonly status: number; readonly message: string };

/**
 * A request as HTTP actions see it. The body streams, and fails once it is larger than an HTTP action may
 * be sent; `signal` aborts when the client is gone.
 */
export function toWebRequest(incoming: IncomingMessage, origin: string, signal: AbortSignal): WebRequest {
  const method = incoming.method ?? "GET";
  if (FORBIDDEN.has(method)) return { kind: "refused", status: 405, message: "Method not allowed" };
  const announced = Number(incoming.headers["content-length"] ?? 0);
  if (announced > MAX_HTTP_ACTION_BYTES) return { kind: "refused", status: 413, message: "Body too large" };
  const url = parseUrl(incoming.url ?? "/", origin);
  if (url === null) return { kind: "refused", status: 400, message: "Invalid URL" };
  const body = WITHOUT_BODY.has(method) ? null : streamOf(incoming);
  const init = { method, headers: headersOf(incoming), signal, body, duplex: "half" } as const;
  return { kind: "ok", request: new Request(url, init) };
}

function parseUrl(path: string, origin: string): URL | null {
  // An absolute-form target would otherwise choose its own host.
  return path.startsWith("/") ? URL.parse(origin + path) : null;
}

function headersOf(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at] ?? "", incoming.rawHeaders[at + 1] ?? "");
  }
  return headers;
}

function streamOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  let size = 0;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > MAX_HTTP_ACTION_BYTES) controller.error(new Error("Body too large"));
      else controller.enqueue(chunk);
    },
  });
  return (Readable.toWeb(incoming) as ReadableStream<Uint8Array>).pipeThrough(bounded);
}
