import type { NumberedTable, StagedTable } from "../../engine/model/types.ts";
import type { ComponentPath } from "../../names/table-name.ts";

export type ImportMode = "requireEmpty" | "append" | "replace" | "replaceAll";

/** A table in the import, with all that the import says about it. */
export type ImportedTable = {
  readonly component: ComponentPath;
  readonly table: string;
  /** From `_tables`, otherwise from the first document's id; null if neither has it. */
  readonly number: number | null;
  readonly rows: number;
};

/** The deployment's present tables. */
export type Present = {
  readonly tables: readonly NumberedTable[];
  readonly count: (engineName: string) => number;
  /** Whether a table is in its component's schema; null if the component does not exist. */
  readonly isDeclared: (component: ComponentPath, table: string) => boolean | null;
};

export type PlannedTable = StagedTable & {
  readonly component: ComponentPath;
  readonly table: string;
  readonly rows: number;
  readonly existing: number;
  /** The table number in the import's ids, if the table gets another one; otherwise null. */
  readonly importedNumber: number | null;
};

export type ImportPlan = { readonly tables: readonly PlannedTable[]; readonly drop: readonly string[] };
