import type { IncomingMessage } from "node:http";
import { bytesInWords } from "../../admission/anonymous-limits.ts";
import type { Turns } from "../../admission/turns.ts";
import { limits } from "../../runtime/checks/limits.ts";
import { requestIdOf } from "../../wire/request-id.ts";

const maxBytes = limits.httpRequestBytes;
/** `Request` carries no body of the first two, and Convex none of the last. */
const withoutBody = new Set(["GET", "HEAD", "OPTIONS"]);
/** Methods that `Request` refuses to carry. */
const forbidden = new Set(["CONNECT", "TRACE", "TRACK"]);

const idHeader = "Convex-Request-Id";

/** Bodies from this size on end in a turn of their own, because the action then handles all of it at once. */
const largeBytes = 16 * 1024;

type Refused = { readonly kind: "refused"; readonly status: number; readonly message: string };

const bodyTooLarge = {
  kind: "refused",
  status: 413,
  message: `Body too large: at most ${bytesInWords(maxBytes)} are accepted.`,
} as const;

const noMemory = {
  kind: "refused",
  status: 503,
  message: "This deployment has no memory left for requests. Try again later.",
} as const;

export type BodyAdmission = {
  readonly turns: Turns;
  /** Counts the body's bytes so far. Returns false if there is no memory for them. */
  readonly admit: (bytes: number) => boolean;
};

type WebRequest =
  | {
      readonly kind: "ok";
      readonly request: Request;
      /** The reason why the body is not read to its end; null while it is. */
      readonly refused: () => Refused | null;
      /** Call after answering, whether or not the body was read. */
      readonly abandonBody: () => void;
    }
  | Refused;

/**
 * A request as HTTP actions see it. The body streams, and fails above the size limit. `signal` aborts when the
 * client has left, and when the backend begins to stop.
 */
export function toWebRequest(
  incoming: IncomingMessage,
  origin: string,
  signal: AbortSignal,
  admission: BodyAdmission,
): WebRequest {
  const method = incoming.method ?? "GET";
  if (forbidden.has(method)) return { kind: "refused", status: 405, message: "Method not allowed" };
  const announced = Number(incoming.headers["content-length"] ?? 0);
  if (announced > maxBytes) return bodyTooLarge;
  const url = parseUrl(incoming.url ?? "/", origin);
  if (url === null) return { kind: "refused", status: 400, message: "Invalid URL" };
  const { stream, refused, abandon } = boundedBody(incoming, maxBytes, admission);
  const body = withoutBody.has(method) ? null : stream;
  const init = { method, headers: headersOf(incoming), signal, body, duplex: "half" } as const;
  return { kind: "ok", request: new Request(url, init), refused, abandonBody: abandon };
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
  // As on Convex, actions can read the id.
  if (!headers.has(idHeader)) headers.set(idHeader, requestIdOf(incoming));
  return headers;
}

type BoundedBody = {
  readonly stream: ReadableStream<Uint8Array>;
  /** The reason why the stream has failed; null unless it exceeds a limit. */
  readonly refused: () => Refused | null;
  /** Stops reading; `drain` takes the rest. */
  readonly abandon: () => void;
};

/**
 * A request's body as a stream with backpressure. The stream never closes the request's connection, because the
 * answer needs it.
 */
function boundedBody(incoming: IncomingMessage, limit: number, { turns, admit }: BodyAdmission): BoundedBody {
  let refused: Refused | null = null;
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
        if (size > limit || !admit(size)) {
          const reason = size > limit ? bodyTooLarge : noMemory;
          refused = reason;
          end(() => controller.error(new Error(reason.message)));
          return;
        }
        controller.enqueue(ownBytes(chunk));
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
      });
      incoming.once("end", () => {
        const close = (): void => end(() => controller.close());
        if (size < largeBytes) close();
        else turns.run(close);
      });
      incoming.once("error", (error) => end(() => controller.error(error)));
      incoming.once("close", () => {
        if (!incoming.complete) end(() => controller.error(new Error("The body ended early")));
      });
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
  return { stream, refused: () => refused, abandon };
}

/** The bytes of a chunk without the rest of its buffer, which may be another request's. */
function ownBytes({ buffer, byteOffset, byteLength }: Buffer): Uint8Array {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  return byteLength === buffer.byteLength ? bytes : bytes.slice();
}
