import { compareKeys, emptyKey, type Key, keyFromBytes, keyToBytes } from "../../values/keys/key.ts";
import type { ScanOrder } from "../model/types.ts";
import type { EntryChange } from "./unapplied-writes.ts";

/** An index entry: its key and the id of its document. */
export type IndexedId = { readonly key: Key; readonly id: string };

/** SQLite's row of an index entry, with other columns. */
type BlobRow = { readonly key: Uint8Array };

// No encoded key is empty or starts with 0xff. SQLite would bind an empty blob as NULL.
export const lowest: Key = "\0";
const highest: Key = "\xff";

/** The bounds of a range as SQLite compares them. */
export function bounds(lower: Key, upper: Key | null): readonly [lower: Uint8Array, upper: Uint8Array] {
  return [keyToBytes(lower === emptyKey ? lowest : lower), keyToBytes(upper ?? highest)];
}

/** A row of an entry's key and id, with the key as memory has it. */
export function indexedId(row: object): IndexedId {
  const { key, id } = row as BlobRow & { readonly id: string };
  return { key: keyFromBytes(key), id };
}

/** A row with its key as memory has it. */
export function withKey(row: object): { readonly key: Key } {
  return { ...row, key: keyFromBytes((row as BlobRow).key) };
}

/**
 * Joins an index's entries in the tables with its changes. Returns at most `limit` entries, in scan order.
 * @param applied the entries in the tables, in scan order
 * @param changes in the order of keys
 */
export function merged(
  applied: Iterable<object>,
  changes: readonly EntryChange[],
  order: ScanOrder,
  limit: number,
): IndexedId[] {
  const direction = order === "asc" ? 1 : -1;
  const ordered = order === "asc" ? changes : changes.toReversed();
  const entries: IndexedId[] = [];
  let next = 0;
  /** Adds the changed entries before a key, and passes over the deleted ones. Returns whether the key itself was deleted. */
  const addUntil = (key: Key | null): boolean => {
    for (; next < ordered.length && entries.length < limit; next += 1) {
      const change = ordered[next] as EntryChange;
      const compared = key === null ? -1 : direction * compareKeys(change.key, key);
      if (compared > 0) break;
      if (change.value !== null) entries.push({ key: change.key, id: change.value });
      else if (compared === 0) {
        next += 1;
        return true;
      }
    }
    return false;
  };
  for (const row of applied) {
    const entry = indexedId(row);
    if (!addUntil(entry.key) && entries.length < limit) entries.push(entry);
    if (entries.length >= limit) return entries;
  }
  addUntil(null);
  return entries;
}

/** By how much changes raise the number of an index's entries. */
export function growth(changes: readonly EntryChange[]): number {
  return changes.reduce((sum, { value }) => sum + (value === null ? -1 : 1), 0);
}
