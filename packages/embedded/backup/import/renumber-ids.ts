import type { JSONValue } from "convex/values";
import { decodeDocumentId, encodeDocumentId } from "../../values/document-id.ts";

/** From the number that a table has in an import to the one that it gets. */
export type Renumbering = ReadonlyMap<number, number>;

/** An id with its table's new number; any other text as it is. */
export function renumberId(text: string, renumbering: Renumbering): string {
  const decoded = decodeDocumentId(text);
  const number = decoded === null ? undefined : renumbering.get(decoded.tableNumber);
  if (decoded === null || number === undefined) return text;
  return encodeDocumentId({ tableNumber: number, internalId: decoded.internalId });
}

/** A value with all ids in it renumbered. An id has a checksum: text that merely looks like one is very rare. */
export function renumberIds(value: JSONValue, renumbering: Renumbering): JSONValue {
  if (renumbering.size === 0) return value;
  if (typeof value === "string") return renumberId(value, renumbering);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => renumberIds(each, renumbering));
  return Object.fromEntries(
    Object.entries(value).map(([field, each]) => [field, renumberIds(each, renumbering)]),
  );
}
