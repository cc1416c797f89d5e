import { withSystemFields } from "../values/index-fields.ts";
import type { IndexDefinition, TableDefinition } from "./types.ts";

export type IndexEntry = {
  /** What the store calls it. */
  readonly id: number;
  readonly name: string;
  /** Declared fields; none for the two that every table has. */
  readonly fields: readonly string[];
  readonly keyFields: readonly string[];
  /** "table.index": what logs, read sets and subscriptions call it. */
  readonly qualified: string;
};

export type TableEntry = {
  readonly number: number;
  readonly name: string;
  readonly indexes: readonly IndexEntry[];
};

/** Convex numbers the tables of a deployment's own from here on. */
const FIRST_TABLE_NUMBER = 10_001;
const SYSTEM_INDEXES: ReadonlyMap<string, readonly string[]> = new Map([
  ["by_id", ["_id"]],
  ["by_creation_time", ["_creationTime", "_id"]],
]);

export function qualify(table: string, index: string): string {
  return `${table}.${index}`;
}

export function isSystemIndex(name: string): boolean {
  return SYSTEM_INDEXES.has(name);
}

/** The tables and indexes that there are, as the store has them or will have with the next commit. */
export class Catalog {
  readonly #byName = new Map<string, TableEntry>();
  readonly #byNumber = new Map<number, TableEntry>();
  #unsaved: TableEntry[] = [];
  #nextTable = FIRST_TABLE_NUMBER;
  #nextIndex = 1;

  constructor(tables: Iterable<TableEntry>) {
    for (const table of tables) this.put(table);
  }

  get tables(): Iterable<TableEntry> {
    return this.#byName.values();
  }

  byName(name: string): TableEntry | null {
    return this.#byName.get(name) ?? null;
  }

  byNumber(number: number): TableEntry | null {
    return this.#byNumber.get(number) ?? null;
  }

  /** The table, made at once if it is new. A made one is in `takeUnsaved` until a commit stores it. */
  ensure(name: string): TableEntry {
    const existing = this.#byName.get(name);
    if (existing !== undefined) return existing;
    const created = this.draftTable(name);
    this.put(created);
    this.#unsaved.push(created);
    return created;
  }

  takeUnsaved(): readonly TableEntry[] {
    const taken = this.#unsaved;
    this.#unsaved = [];
    return taken;
  }

  put(table: TableEntry): void {
    this.#byName.set(table.name, table);
    this.#byNumber.set(table.number, table);
    this.#nextTable = Math.max(this.#nextTable, table.number + 1);
    for (const index of table.indexes) this.#nextIndex = Math.max(this.#nextIndex, index.id + 1);
  }

  /** A new table with only the indexes that every table has. */
  draftTable(name: string): TableEntry {
    const indexes = [...SYSTEM_INDEXES.keys()].map((index) =>
      this.draftIndex(name, { name: index, fields: [] }),
    );
    return { number: this.#nextTable++, name, indexes };
  }

  draftIndex(table: string, definition: IndexDefinition): IndexEntry {
    return indexEntry(this.#nextIndex++, table, definition);
  }
}

export function indexEntry(id: number, table: string, { name, fields }: IndexDefinition): IndexEntry {
  const keyFields = SYSTEM_INDEXES.get(name) ?? withSystemFields(fields);
  return { id, name, fields, keyFields, qualified: qualify(table, name) };
}

export function definitionOf({ name, indexes }: TableEntry): TableDefinition {
  const declared = indexes.filter((index) => !isSystemIndex(index.name));
  return { name, indexes: declared.map((index) => ({ name: index.name, fields: index.fields })) };
}
