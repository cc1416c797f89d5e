import type { JSONValue } from "convex/values";
import { decodeDocumentId, encodeDocumentId } from "../../packages/embedded/values/document-id.ts";

export type Row = Record<string, JSONValue>;
/** The rows of one thing, such as a device, by table: at most one a table. */
export type Rows = Readonly<Record<string, Row>>;

/** The id of copy `n` of a row: of the same table, and different for each copy. */
export function copiedId(id: string, n: number): string {
  const decoded = decodeDocumentId(id);
  if (decoded === null) throw new Error(`${id} is no id.`);
  const internalId = Uint8Array.from(decoded.internalId);
  new DataView(internalId.buffer).setUint32(0, n);
  return encodeDocumentId({ tableNumber: decoded.tableNumber, internalId });
}

export function idOf({ _id }: Row): string {
  if (typeof _id !== "string") throw new Error("A row has no id.");
  return _id;
}

/** The row of one table in copy `n` of rows that belong together. Each has an id of its own, by which they name each other. */
export function copyOf(rows: Rows, table: string, n: number): Row {
  const ids = new Map(Object.values(rows).map((row) => [idOf(row), copiedId(idOf(row), n)] as const));
  return replaced(rows[table] ?? {}, ids) as Row;
}

function replaced(value: JSONValue, ids: ReadonlyMap<string, string>): JSONValue {
  if (typeof value === "string") return ids.get(value) ?? value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => replaced(each, ids));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaced(each, ids)]));
}
