import {
  type Catalog,
  type IndexEntry,
  indexEntry,
  isSystemIndex,
  type TableEntry,
} from "../model/catalog.ts";
import type { StagedTable, StagedTables } from "../model/types.ts";
import type { Store } from "./store.ts";

/**
 * Why the staged tables no longer fit the catalog, which may have changed since they were staged; null when they
 * fit.
 */
export function staleReason(catalog: Catalog, { tables, drop }: StagedTables): string | null {
  const gone = new Set([...drop, ...tables.filter((each) => !each.append).map((each) => each.name)]);
  const numbers = new Map<number, string>();
  for (const table of catalog.tables) if (!gone.has(table.name)) numbers.set(table.number, table.name);
  for (const { name, number, append, indexes } of tables) {
    const holder = numbers.get(number);
    if (holder !== undefined && !(append && holder === name)) {
      return `The ids of table "${name}" conflict with those of the existing table "${holder}".`;
    }
    const existing = catalog.byName(name);
    if (append && existing?.number !== number) {
      return `The table "${name}" was changed while it was imported. Import again.`;
    }
    const declared = existing?.indexes.filter((index) => !isSystemIndex(index.name)) ?? [];
    if (
      existing !== null &&
      JSON.stringify(declared.map(definition)) !== JSON.stringify(indexes.map(definition))
    ) {
      return `The indexes of table "${name}" were changed while it was imported. Import again.`;
    }
    numbers.set(number, name);
  }
  return null;
}

/**
 * Replaces the present tables with the staged ones, in the store's open transaction. The returned function updates
 * the catalog; call it once everything is on disk.
 */
export function placeStaged(store: Store, catalog: Catalog, staged: StagedTables): () => void {
  const after: (() => void)[] = [];
  const remove = (table: TableEntry): void => {
    store.dropTable(table);
    after.push(() => catalog.remove(table));
  };
  for (const name of staged.drop) {
    const existing = catalog.byName(name);
    if (existing !== null) remove(existing);
  }
  // Remove all before adding any: two tables may have exchanged numbers.
  const kept = new Map<string, TableEntry>();
  for (const { name, append } of staged.tables) {
    const existing = catalog.byName(name);
    if (existing === null) continue;
    if (append) kept.set(name, existing);
    else remove(existing);
  }
  for (const table of staged.tables) {
    const entry = kept.get(table.name) ?? newEntry(catalog, table);
    if (!kept.has(table.name)) {
      store.createTable(entry);
      after.push(() => catalog.put(entry));
    }
    store.takeStaged(table.name, entry);
  }
  return () => {
    for (const each of after) each();
  };
}

function newEntry(catalog: Catalog, { name, number, indexes }: StagedTable): TableEntry {
  const system = catalog.draftSystemIndexes(name);
  const declared = indexes.map((index) => catalog.draftIndex(name, index));
  return { number, name, indexes: [...system, ...declared] };
}

function definition({ name, fields }: Pick<IndexEntry, "name" | "fields">) {
  return { name, fields };
}

/** The indexes of a staged table. Their ids have no meaning outside the staging file. */
export function stagedIndexes(table: string, declared: StagedTable["indexes"]): readonly IndexEntry[] {
  const all = [{ name: "by_id", fields: [] }, { name: "by_creation_time", fields: [] }, ...declared];
  return all.map((definition) => indexEntry(0, table, definition));
}
