import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import type { JSONValue } from "convex/values";
import type { Admission } from "../admission/admission.ts";
import { bytesInWords } from "../admission/anonymous-limits.ts";
import type { Account } from "../admission/byte-budget.ts";
import { limits } from "../runtime/checks/limits.ts";
import { parseMeasuredJson } from "../wire/bounded-json.ts";
import { refusal, type Reply } from "./reply.ts";

const unpack = promisify(brotliDecompress);
/** Largest unpacked code that is pushed. Convex takes less. */
const maxUnpackedBytes = 256 * 1024 ** 2;
const maxEnvelopeBytes = 64 * 1024;
/** Largest body of a function call in bytes: arguments up to their limit, in base64 at worst, and the envelope. */
const maxCallBytes = Math.ceil((limits.argsBytes * 4) / 3) + maxEnvelopeBytes;

/** Limits of a body that a client without a verified identity sends. */
export type BodyRoom = Pick<Admission, "limits" | "turns" | "refusals"> & {
  /** Counts the body until the request is answered. */
  readonly account: Account;
};

type Body =
  | { readonly kind: "ok"; readonly bytes: Buffer }
  | { readonly kind: "too large"; readonly limit: number }
  | { readonly kind: "no memory" }
  | { readonly kind: "aborted" };

/** Reads a request's body up to `limit` bytes. The caller handles the rest; see drain.ts. */
async function readBody(request: IncomingMessage, limit: number, room: BodyRoom | null): Promise<Body> {
  if (Number(request.headers["content-length"] ?? 0) > limit) return { kind: "too large", limit };
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // By default, leaving the iterator early destroys the connection, and the answer needs it.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) return { kind: "too large", limit };
      if (room?.account.set(size) === false) return { kind: "no memory" };
      chunks.push(chunk);
      // Reading takes time, too, if many clients send at once. Meanwhile the socket is paused.
      if (room?.turns.isBusy === true) await room.turns.turn();
    }
  } catch {
    return { kind: "aborted" };
  }
  // Many bodies may have arrived at once.
  await room?.turns.turn();
  return { kind: "ok", bytes: Buffer.concat(chunks) };
}

type JsonBody =
  { readonly kind: "ok"; readonly value: JSONValue } | { readonly kind: "refused"; readonly reply: Reply };

/**
 * Reads a JSON body, or returns the reply that refuses it. A missing body means an empty object: `query_ts` sends none.
 * @param room null for a client with a verified identity.
 */
export async function readJson(incoming: IncomingMessage, room: BodyRoom | null = null): Promise<JsonBody> {
  const body = await readBody(incoming, room?.limits.messageBytes ?? maxCallBytes, room);
  return parseBody(body, room);
}

/** Reads a JSON body that may be packed with Brotli, as the convex command pushes code. Only for the admin. */
export async function readPackedJson(incoming: IncomingMessage): Promise<JsonBody> {
  const body = await readBody(incoming, maxCallBytes, null);
  if (body.kind !== "ok" || incoming.headers["content-encoding"] !== "br") return parseBody(body, null);
  try {
    return parseBody(
      { kind: "ok", bytes: await unpack(body.bytes, { maxOutputLength: maxUnpackedBytes }) },
      null,
    );
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    return isLarge
      ? tooLarge(maxUnpackedBytes, null)
      : refused(400, "BadRequest", "The body is no Brotli data.");
  }
}

function parseBody(body: Body, room: BodyRoom | null): JsonBody {
  switch (body.kind) {
    case "too large":
      return tooLarge(body.limit, room);
    case "no memory":
      return noMemory(room);
    case "aborted":
      return refused(400, "BadRequest", "The body ended early.");
    case "ok":
      return parse(body.bytes.toString("utf8"), room);
  }
}

function parse(text: string, room: BodyRoom | null): JsonBody {
  if (text.trim() === "") return { kind: "ok", value: {} };
  const most = room?.limits.connectionBytes ?? Infinity;
  const json = parseMeasuredJson(text, most);
  if (json.kind === "invalid") return refused(400, "BadJsonBody", json.reason);
  if (json.kind === "too large") return tooLarge(most, room);
  return room?.account.set(json.memoryBytes) === false ? noMemory(room) : json;
}

function tooLarge(limit: number, room: BodyRoom | null): JsonBody {
  room?.refusals.count("message");
  const whom = room === null ? "" : " without a user's token or the admin key";
  const message = `The body is too large: at most ${bytesInWords(limit)} are accepted here${whom}. Send less at a time.`;
  return refused(413, "RequestTooLarge", message);
}

function noMemory(room: BodyRoom | null): JsonBody {
  room?.refusals.count("memory");
  return { kind: "refused", reply: outOfMemory };
}

/** Told while other requests use all memory for them. */
export const outOfMemory: Reply = {
  ...refusal(
    503,
    "TooManyConcurrentRequests",
    "This deployment has no memory left for requests. Try again later.",
  ),
  headers: { "Retry-After": "3" },
};

function refused(status: number, code: string, message: string) {
  return { kind: "refused", reply: refusal(status, code, message) } as const;
}
