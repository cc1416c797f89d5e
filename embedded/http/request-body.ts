import type { IncomingMessage } from "node:http";
import { parseBoundedJson, type ParsedJson } from "./bounded-json.ts";

export type BodyText =
  | { readonly kind: "ok"; readonly text: string }
  | { readonly kind: "too large"; readonly limit: number }
  | { readonly kind: "aborted" };

/** Collects a request's body, up to `limit` bytes; the rest is not read. */
export async function readBody(request: IncomingMessage, limit: number): Promise<BodyText> {
  if (Number(request.headers["content-length"] ?? 0) > limit) return { kind: "too large", limit };
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) return { kind: "too large", limit };
      chunks.push(chunk);
    }
  } catch {
    return { kind: "aborted" };
  }
  return { kind: "ok", text: Buffer.concat(chunks).toString("utf8") };
}

/** An absent body reads as an empty object: `query_ts` sends none. */
export function parseBody(text: string): ParsedJson {
  return text.trim() === "" ? { kind: "ok", value: {} } : parseBoundedJson(text);
}
