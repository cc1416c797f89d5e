import type { NumberedTable, StagedTable } from "../../engine/model/types.ts";
import type { ComponentPath } from "../../names/table-name.ts";

export type ImportMode = "requireEmpty" | "append" | "replace" | "replaceAll";

/** A table that the import names, as far as it says. */
export type ImportedTable = {
  readonly component: ComponentPath;
  readonly table: string;
  /** From `_tables`, else from the first document's id; null where the import does not say. */
  readonly number: number | null;
  readonly rows: number;
};

/** What is there now. */
export type Present = {
  readonly tables: readonly NumberedTable[];
  readonly count: (engineName: string) => number;
  /** Whether a table is in its component's schema; null where there is no such component. */
  readonly isDeclared: (component: ComponentPath, table: string) => boolean | null;
};

export type PlannedTable = StagedTable & {
  readonly component: ComponentPath;
  readonly table: string;
  readonly rows: number;
  readonly existing: number;
  /** What the ids in the import say, where the table gets another number than that; else null. */
  readonly importedNumber: number | null;
};

export type ImportPlan = { readonly tables: readonly PlannedTable[]; readonly drop: readonly string[] };
