import type { TableEntry } from "../../engine/model/catalog.ts";
import { type ComponentPath, parseEngineTableName } from "../../names/table-name.ts";

export type ExportedTable = {
  readonly component: ComponentPath;
  readonly table: string;
  readonly entry: TableEntry;
};

export const STORAGE_TABLE = "_storage";

/** A deployment's tables as an export has them: the backend's own are not in it, but for the files' table. */
export function exportedTables(entries: readonly TableEntry[]): {
  readonly components: readonly ComponentPath[];
  readonly tables: readonly ExportedTable[];
  readonly storage: readonly ExportedTable[];
} {
  const all = entries
    .map((entry) => ({ ...parseEngineTableName(entry.name), entry }))
    .sort((a, b) => a.entry.number - b.entry.number);
  const tables = all.filter(({ table }) => !table.startsWith("_"));
  const storage = all.filter(({ table }) => table === STORAGE_TABLE);
  const components = new Set(["", ...[...tables, ...storage].map(({ component }) => component)]);
  return { components: [...components].sort(), tables, storage };
}
