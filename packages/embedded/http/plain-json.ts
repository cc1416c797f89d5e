import type { JSONValue } from "convex/values";

/** The format of values in the answer. Arguments are always in Convex's encoding. */
export type ValueFormat = "json" | "convex_encoded_json";

/**
 * Converts Convex's JSON encoding to the plain JSON that `format: "json"` promises: 64-bit integers as decimal
 * strings, bytes as base64, special floats by name.
 */
export function plainJson(encoded: JSONValue): JSONValue {
  if (Array.isArray(encoded)) return encoded.map(plainJson);
  if (typeof encoded !== "object" || encoded === null) return encoded;
  const special = specialValue(encoded);
  if (special !== null) return special;
  return Object.fromEntries(Object.entries(encoded).map(([field, value]) => [field, plainJson(value)]));
}

function specialValue(encoded: { readonly [key: string]: JSONValue }): JSONValue | null {
  const entries = Object.entries(encoded);
  const [entry] = entries;
  if (entries.length !== 1 || entry === undefined || typeof entry[1] !== "string") return null;
  const [tag, base64] = entry;
  switch (tag) {
    case "$integer":
      return Buffer.from(base64, "base64").readBigInt64LE().toString();
    case "$float":
      return floatName(Buffer.from(base64, "base64").readDoubleLE());
    case "$bytes":
      return base64;
    default:
      return null;
  }
}

function floatName(value: number): JSONValue {
  if (Number.isNaN(value)) return "NaN";
  if (Number.isFinite(value)) return value;
  return value > 0 ? "Infinity" : "-Infinity";
}
