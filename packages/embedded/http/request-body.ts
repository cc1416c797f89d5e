import type { IncomingMessage } from "node:http";
import type { JSONValue } from "convex/values";
import { limits } from "../runtime/checks/limits.ts";
import { parseBoundedJson, type ParsedJson } from "../wire/bounded-json.ts";
import { refusal, type Reply } from "./reply.ts";

const maxEnvelopeBytes = 64 * 1024;
/** Largest body of a function call in bytes: arguments up to their limit, in base64 at worst, and the envelope. */
const maxCallBytes = Math.ceil((limits.argsBytes * 4) / 3) + maxEnvelopeBytes;

type BodyText =
  | { readonly kind: "ok"; readonly text: string }
  | { readonly kind: "too large"; readonly limit: number }
  | { readonly kind: "aborted" };

/** Reads a request's body up to `limit` bytes. The caller handles the rest; see drain.ts. */
async function readBody(request: IncomingMessage, limit: number): Promise<BodyText> {
  if (Number(request.headers["content-length"] ?? 0) > limit) return { kind: "too large", limit };
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // By default, leaving the iterator early destroys the connection, and the answer needs it.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) return { kind: "too large", limit };
      chunks.push(chunk);
    }
  } catch {
    return { kind: "aborted" };
  }
  return { kind: "ok", text: Buffer.concat(chunks).toString("utf8") };
}

/** A missing body means an empty object: `query_ts` sends none. */
function parseBody(text: string): ParsedJson {
  return text.trim() === "" ? { kind: "ok", value: {} } : parseBoundedJson(text);
}

type JsonBody =
  { readonly kind: "ok"; readonly value: JSONValue } | { readonly kind: "refused"; readonly reply: Reply };

/** Reads a JSON body, or returns the reply that refuses it. */
export async function readJson(incoming: IncomingMessage): Promise<JsonBody> {
  const body = await readBody(incoming, maxCallBytes);
  switch (body.kind) {
    case "too large":
      return refused(413, "RequestTooLarge", `The body is larger than ${String(body.limit)} bytes.`);
    case "aborted":
      return refused(400, "BadRequest", "The body ended early.");
    case "ok": {
      const json = parseBody(body.text);
      return json.kind === "ok" ? json : refused(400, "BadJsonBody", json.reason);
    }
  }
}

function refused(status: number, code: string, message: string) {
  return { kind: "refused", reply: refusal(status, code, message) } as const;
}
