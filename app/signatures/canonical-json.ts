import { isRecord } from "../json.ts";

/**
 * The one JSON text of a value: sorted keys and no spaces (RFC 8785), so that two programs sign and verify the same bytes.
 * Absent and undefined fields are the same. Throws a TypeError for a value that JSON cannot hold.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (isRecord(value)) {
    const fields = Object.keys(value)
      .filter((name) => value[name] !== undefined)
      .sort()
      .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`);
    return `{${fields.join(",")}}`;
  }
  const isPlain = value === null || typeof value === "string" || typeof value === "boolean";
  if (isPlain || (typeof value === "number" && Number.isFinite(value))) return JSON.stringify(value);
  throw new TypeError("This value has no JSON.");
}
