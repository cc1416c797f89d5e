import type { IndexDefinition, TableDefinition } from "../../values/keys/index-fields.ts";
import { isSystemIndex, type TableEntry } from "./catalog.ts";

export type SchemaChange =
  | { readonly kind: "create_table"; readonly table: string }
  | { readonly kind: "drop_index"; readonly table: string; readonly index: string }
  | { readonly kind: "create_index"; readonly table: string; readonly index: IndexDefinition };

/** The changes that turn the present tables into the wanted ones, in order. Tables are never dropped. */
export function diffSchema(
  current: Iterable<TableEntry>,
  wanted: readonly TableDefinition[],
): SchemaChange[] {
  checkSchema(wanted);
  const existing = new Map([...current].map((table) => [table.name, table]));
  const changes: SchemaChange[] = [];
  for (const { name, indexes } of wanted) {
    if (!existing.has(name)) changes.push({ kind: "create_table", table: name });
    for (const index of indexes) {
      if (!hasIndex(existing.get(name), index)) changes.push({ kind: "create_index", table: name, index });
    }
  }
  const wantedByName = new Map(wanted.map((table) => [table.name, table]));
  const drops = [...existing.values()].flatMap((table) => outdated(table, wantedByName.get(table.name)));
  // A changed index is dropped under its name before it is made again.
  return [...drops, ...changes];
}

function outdated(table: TableEntry, wanted: TableDefinition | undefined): SchemaChange[] {
  return table.indexes
    .filter((index) => !isSystemIndex(index.name))
    .filter((index) => !wanted?.indexes.some((each) => each.name === index.name && sameFields(each, index)))
    .map((index) => ({ kind: "drop_index", table: table.name, index: index.name }));
}

function hasIndex(table: TableEntry | undefined, wanted: IndexDefinition): boolean {
  return table?.indexes.some((index) => index.name === wanted.name && sameFields(index, wanted)) ?? false;
}

function sameFields(
  left: { readonly fields: readonly string[] },
  right: { readonly fields: readonly string[] },
): boolean {
  return JSON.stringify(left.fields) === JSON.stringify(right.fields);
}

function checkSchema(wanted: readonly TableDefinition[]): void {
  const tables = new Set<string>();
  for (const { name, indexes } of wanted) {
    if (tables.has(name)) throw new Error(`The schema names the table "${name}" twice.`);
    tables.add(name);
    const names = new Set<string>();
    for (const index of indexes) {
      if (isSystemIndex(index.name))
        throw new Error(`The index name "${index.name}" in "${name}" is reserved.`);
      if (names.has(index.name))
        throw new Error(`The table "${name}" has two indexes named "${index.name}".`);
      if (index.fields.length === 0) throw new Error(`The index "${name}.${index.name}" has no fields.`);
      names.add(index.name);
    }
  }
}
