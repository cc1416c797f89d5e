import type { JSONValue } from "convex/values";
import type { DocumentJson, Transaction } from "../engine/model/types.ts";
import { type ComponentPath, engineTableName } from "../names/table-name.ts";
import { type TableDefinition, withSystemFields } from "../values/keys/index-fields.ts";
import { fullRange, toKeyRange } from "../values/keys/index-range.ts";

/**
 * `_storage`, one per component: the file metadata that functions may read (`sha256` in base64, `size` in bytes,
 * `contentType` or null). Written only here.
 */
export const storageTable: TableDefinition = { name: "_storage", indexes: [] };

const byFile = { name: "by_file", fields: ["fileId"] };
const byStorageId = { name: "by_storage_id", fields: ["storageId"] };
const byKey = { name: "by_key", fields: ["key"] };

/**
 * `_file_storage`, one for all components, hidden from functions. Maps each row of a `_storage` to the UUID in its
 * URL (`storageId`) and the key of its bytes. Written only here, along with that row.
 */
export const fileTable: TableDefinition = {
  name: "_file_storage",
  indexes: [byFile, byStorageId, byKey],
};

/** `_deleted_files`: keys of bytes to remove once the deletion is durable. Written here; emptied by the janitor. */
export const deletedTable: TableDefinition = { name: "_deleted_files", indexes: [] };

export type StoredFile = {
  /** The `_storage` row's id. */
  readonly id: string;
  readonly component: ComponentPath;
  /** The UUID in the file's URL. */
  readonly storageId: string;
  /** Key of its bytes in the file store. */
  readonly key: string;
  /** Base64. */
  readonly sha256: string;
  /** Size in bytes. */
  readonly size: number;
  readonly contentType: string | null;
};

/** Adds a file whose bytes are in the store, and returns its id. */
export function insertFile(transaction: Transaction, file: Omit<StoredFile, "id">): string {
  const { component, storageId, key, sha256, size, contentType } = file;
  const table = engineTableName({ component, table: storageTable.name });
  const id = transaction.insert(table, { sha256, size, contentType });
  putFileRow(transaction, { fileId: id, component, storageId, key });
  return id;
}

/** The hidden part of a file, for a `_storage` row that an import inserts itself. */
type FileRow = Pick<StoredFile, "component" | "storageId" | "key"> & { readonly fileId: string };

export function putFileRow(transaction: Transaction, row: FileRow): void {
  transaction.insert(fileTable.name, row);
}

/** Removes the hidden parts of all files of the given components, whose `_storage` an import replaces. */
export function deleteFileRows(transaction: Transaction, components: ReadonlySet<ComponentPath>): void {
  const scan = transaction.scan(fullRange(fileTable.name, "by_creation_time"), "asc");
  for (let entry = scan.next(); entry !== null; entry = scan.next()) {
    const { _id, component, key } = entry.document;
    if (!components.has(component as string)) continue;
    transaction.remove(_id as string);
    transaction.insert(deletedTable.name, { key: key as string });
  }
}

/** Finds a file by the id of its `_storage` row; null if it does not exist. */
export function fileById(transaction: Transaction, id: string): StoredFile | null {
  return joined(transaction, firstWith(transaction, byFile, id));
}

/** Finds a file by the UUID in its URL. */
export function fileByStorageId(transaction: Transaction, storageId: string): StoredFile | null {
  return joined(transaction, firstWith(transaction, byStorageId, storageId));
}

/** Removes a file's rows. Its bytes are removed once that is durable. */
export function deleteFile(transaction: Transaction, { id, key }: StoredFile): void {
  const internal = firstWith(transaction, byFile, id);
  if (internal !== null) transaction.remove(internal["_id"] as string);
  transaction.remove(id);
  transaction.insert(deletedTable.name, { key });
}

/** Whether a row refers to these bytes. */
export function hasKey(transaction: Transaction, key: string): boolean {
  return firstWith(transaction, byKey, key) !== null;
}

/** A deleted file's key, and the id of its `_deleted_files` row. */
export type DeletedKey = { readonly id: string; readonly key: string };

/** The first deleted files whose bytes may still exist. */
export function deletedKeys(transaction: Transaction, limit: number): readonly DeletedKey[] {
  const scan = transaction.scan(fullRange(deletedTable.name, "by_creation_time"), "asc");
  const rows: DeletedKey[] = [];
  while (rows.length < limit) {
    const document = scan.next()?.document;
    if (document === undefined) break;
    rows.push({ id: document["_id"] as string, key: document["key"] as string });
  }
  return rows;
}

function joined(transaction: Transaction, internal: DocumentJson | null): StoredFile | null {
  if (internal === null) return null;
  const id = internal["fileId"] as string;
  const row = transaction.get(id);
  if (row === null) return null;
  return {
    id,
    component: internal["component"] as string,
    storageId: internal["storageId"] as string,
    key: internal["key"] as string,
    sha256: row["sha256"] as string,
    size: row["size"] as number,
    contentType: row["contentType"] as string | null,
  };
}

function firstWith(
  transaction: Transaction,
  { name, fields }: typeof byFile,
  value: JSONValue,
): DocumentJson | null {
  const target = { table: fileTable.name, index: name, keyFields: withSystemFields(fields) };
  const range = toKeyRange(target, [{ type: "Eq", fieldPath: fields[0] as string, value }]);
  return transaction.scan(range, "asc").next()?.document ?? null;
}
