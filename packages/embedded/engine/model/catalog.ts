import { parseEngineTableName } from "../../names/table-name.ts";
import {
  type IndexDefinition,
  type TableDefinition,
  withSystemFields,
} from "../../values/keys/index-fields.ts";
import { parseSearchFields, type SearchDefinition } from "../../values/keys/search-definition.ts";

export type IndexEntry = {
  /** Its id in the store. */
  readonly id: number;
  readonly name: string;
  /** Declared fields; empty for the two indexes that every table has. */
  readonly fields: readonly string[];
  /** The fields of the index's keys, in order. Empty for a search index. */
  readonly keyFields: readonly string[];
  /** Null for an ordered index. */
  readonly search: SearchDefinition | null;
  /** "table.index", as in logs, read sets and subscriptions. */
  readonly qualified: string;
};

export type TableEntry = {
  readonly number: number;
  readonly name: string;
  readonly indexes: readonly IndexEntry[];
};

/** Convex numbers a deployment's own tables from here on. */
const firstTableNumber = 10_001;
/** The backend's own tables have lower numbers, so that imported tables find theirs free. */
const firstSystemTableNumber = 5_001;
const systemIndexes: ReadonlyMap<string, readonly string[]> = new Map([
  ["by_id", ["_id"]],
  ["by_creation_time", ["_creationTime", "_id"]],
]);

const qualified = new Map<string, Map<string, string>>();
const maxQualified = 1_000;

/** Interned, because every read looks up ranges by this text. */
export function qualify(table: string, index: string): string {
  let ofTable = qualified.get(table);
  if (ofTable === undefined) {
    if (qualified.size >= maxQualified) qualified.clear();
    ofTable = new Map();
    qualified.set(table, ofTable);
  }
  let name = ofTable.get(index);
  if (name === undefined) {
    if (ofTable.size >= maxQualified) ofTable.clear();
    name = `${table}.${index}`;
    ofTable.set(index, name);
  }
  return name;
}

export function isSystemIndex(name: string): boolean {
  return systemIndexes.has(name);
}

/** The tables and indexes, as the store has them now or will have with the next commit. */
export class Catalog {
  readonly #byName = new Map<string, TableEntry>();
  readonly #byNumber = new Map<number, TableEntry>();
  #unsaved: TableEntry[] = [];
  #nextTable = firstTableNumber;
  #nextSystemTable = firstSystemTableNumber;
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

  /** Returns the table, and creates it if needed. `takeUnsaved` returns new ones until a commit stores them. */
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
    if (table.number >= firstTableNumber) this.#nextTable = Math.max(this.#nextTable, table.number + 1);
    else this.#nextSystemTable = Math.max(this.#nextSystemTable, table.number + 1);
    for (const index of table.indexes) this.#nextIndex = Math.max(this.#nextIndex, index.id + 1);
  }

  /** Removes a table whose number, name or indexes another table takes over. */
  remove(table: TableEntry): void {
    this.#byName.delete(table.name);
    this.#byNumber.delete(table.number);
    this.#unsaved = this.#unsaved.filter((each) => each.name !== table.name);
  }

  /** A new table with only the indexes that every table has. */
  draftTable(name: string): TableEntry {
    const indexes = this.draftSystemIndexes(name);
    const isSystem = parseEngineTableName(name).table.startsWith("_");
    return { number: isSystem ? this.#nextSystemTable++ : this.#nextTable++, name, indexes };
  }

  draftSystemIndexes(table: string): readonly IndexEntry[] {
    return [...systemIndexes.keys()].map((index) => this.draftIndex(table, { name: index, fields: [] }));
  }

  draftIndex(table: string, definition: IndexDefinition): IndexEntry {
    return indexEntry(this.#nextIndex++, table, definition);
  }
}

export function indexEntry(id: number, table: string, { name, fields }: IndexDefinition): IndexEntry {
  const search = parseSearchFields(fields);
  const keyFields = search === null ? (systemIndexes.get(name) ?? withSystemFields(fields)) : [];
  return { id, name, fields, keyFields, search, qualified: qualify(table, name) };
}

const definitions = new WeakMap<TableEntry, TableDefinition>();

/** Cached per entry, because every query asks for it. */
export function definitionOf(table: TableEntry): TableDefinition {
  let definition = definitions.get(table);
  if (definition === undefined) {
    const declared = table.indexes.filter((index) => !isSystemIndex(index.name));
    const indexes = declared.map(({ name, fields }) => ({ name, fields }));
    definition = { name: table.name, indexes };
    definitions.set(table, definition);
  }
  return definition;
}
