import type { JSONValue } from "convex/values";
import { decodeDocumentId, encodeDocumentId } from "../../values/document-id.ts";

/** Maps a table's number in the import to its new number. */
export type NewNumbers = ReadonlyMap<number, number>;

/** Gives an id its table's new number. Returns any other text unchanged. */
export function renumberId(text: string, newNumbers: NewNumbers): string {
  const decoded = decodeDocumentId(text);
  const number = decoded === null ? undefined : newNumbers.get(decoded.tableNumber);
  if (decoded === null || number === undefined) return text;
  return encodeDocumentId({ tableNumber: number, internalId: decoded.internalId });
}

/** Renumbers all ids in a value. Ids have a checksum, so other text is hardly ever mistaken for one. */
export function renumberIds(value: JSONValue, newNumbers: NewNumbers): JSONValue {
  if (newNumbers.size === 0) return value;
  if (typeof value === "string") return renumberId(value, newNumbers);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => renumberIds(each, newNumbers));
  return Object.fromEntries(
    Object.entries(value).map(([field, each]) => [field, renumberIds(each, newNumbers)]),
  );
}
