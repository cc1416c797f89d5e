import type { SourceMapPayload } from "node:module";
import { deflateSync, inflateSync } from "node:zlib";

/**
 * A source map as compressed JSON in base64. The backend keeps the maps of all functions, which are megabytes of text, and reads
 * one only if a function throws. Bytes that come from the bundling process would keep its whole message in memory.
 */
export type PackedMap = string & { readonly packed: unique symbol };

/** @param json the source map. */
export function packMap(json: string): PackedMap {
  return deflateSync(json).toString("base64") as PackedMap;
}

export function unpackMap(packed: PackedMap): SourceMapPayload {
  return JSON.parse(inflateSync(Buffer.from(packed, "base64")).toString()) as SourceMapPayload;
}
