import type { JSONValue } from "convex/values";
import { decodeDocumentId, encodeDocumentId } from "../../values/document-id.ts";

/** Maps a table's number in the import to its new number. */
export type Renumbering = ReadonlyMap<number, number>;

/** Gives an id its table's new number. Returns any other text unchanged. */
export function renumberId(text: string, renumbering: Renumbering): string {
  const decoded = decodeDocumentId(text);
  const number = decoded === null ? undefined : renumbering.get(decoded.tableNumber);
  if (decoded === null || number === undefined) return text;
  return encodeDocumentId({ tableNumber: number, internalId: decoded.internalId });
}

/** Renumbers all ids in a value. Ids have a checksum, so other text is hardly ever mistaken for one. */
export function renumberIds(value: JSONValue, renumbering: Renumbering): JSONValue {
  if (renumbering.size === 0) return value;
  if (typeof value === "string") return renumberId(value, renumbering);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => renumberIds(each, renumbering));
  return Object.fromEntries(
    Object.entries(value).map(([field, each]) => [field, renumberIds(each, renumbering)]),
  );
}
