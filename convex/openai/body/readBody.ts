import { limits } from "../../../app/jobs/limits.ts";
import { bodyNotGzip, bodyNotUtf8, bodyTooLarge, unknownEncoding } from "../errors.ts";
import type { ApiError } from "../respond.ts";
import { Unzip } from "./unzip.ts";

type BodyText =
  { readonly kind: "text"; readonly text: string } | { readonly kind: "refused"; readonly error: ApiError };

const mistakes = {
  "too large": bodyTooLarge,
  "not UTF-8": bodyNotUtf8,
  "not gzip": bodyNotGzip,
} as const satisfies Readonly<Record<string, ApiError>>;

type Body = { readonly kind: "text"; readonly text: string } | { readonly kind: keyof typeof mistakes };

/** Whether a body is compressed with gzip. Null: it is compressed otherwise. */
export function isGzipped({ headers }: Request): boolean | null {
  const encoding = (headers.get("content-encoding") ?? "").trim().toLowerCase();
  if (encoding === "gzip" || encoding === "x-gzip") return true;
  return encoding === "" || encoding === "identity" ? false : null;
}

/** The body of a call as text. Decompresses it if its headers say that it is compressed. */
export async function readBody(request: Request): Promise<BodyText> {
  const isCompressed = isGzipped(request);
  if (isCompressed === null) return { kind: "refused", error: unknownEncoding };
  const body = await readText(request, limits.bodyBytes, isCompressed);
  return body.kind === "text" ? body : { kind: "refused", error: mistakes[body.kind] };
}

/** It stops reading, and decompressing, beyond `maxBytes`. */
async function readText(request: Request, maxBytes: number, isCompressed: boolean): Promise<Body> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) return { kind: "too large" };
  if (request.body === null) return { kind: "text", text: "" };
  const reader = request.body.getReader();
  const unzip = isCompressed ? new Unzip(maxBytes) : null;
  // Without "fatal" other text than the one that was sent would be answered.
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let bytes = 0;
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    bytes += value?.byteLength ?? 0;
    const parts =
      bytes > maxBytes ? "too large" : (unzip?.push(value, done) ?? (value === undefined ? [] : [value]));
    if (typeof parts === "string") {
      await reader.cancel();
      return { kind: parts };
    }
    try {
      for (const part of parts) text += decoder.decode(part, { stream: true });
      if (done) return { kind: "text", text: text + decoder.decode() };
    } catch {
      await reader.cancel();
      return { kind: "not UTF-8" };
    }
  }
}
