import type { JSONValue } from "convex/values";

export type ValueKind =
  "null" | "boolean" | "number" | "bigint" | "string" | "bytes" | "commitTs" | "array" | "object";

/**
 * Returns the type of a value in Convex's JSON encoding. Encoded values such as `{"$integer": …}` are not
 * objects.
 */
export function kindOf(value: JSONValue): ValueKind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "boolean":
      return "boolean";
    case "number":
      return "number";
    case "string":
      return "string";
    default:
      return specialKindOf(value);
  }
}

function specialKindOf(value: { readonly [key: string]: JSONValue }): ValueKind {
  const keys = Object.keys(value);
  if (keys.length !== 1) return "object";
  switch (keys[0]) {
    case "$integer":
      return "bigint";
    case "$float":
      return "number";
    case "$bytes":
      return "bytes";
    case "$commitTs":
      return "commitTs";
    default:
      return "object";
  }
}
