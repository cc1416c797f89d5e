import { setImmediate } from "node:timers/promises";
import type { JSONValue } from "convex/values";
import { CreationClock } from "../../engine/model/creation-clock.ts";
import type { Engine } from "../../engine/model/types.ts";
import type { ComponentPath } from "../../names/table-name.ts";
import type { Schema } from "../../runtime/checks/schema.ts";
import type { ValidatorJson } from "../../runtime/checks/validator-json.ts";
import { at, ImportFailure } from "../read/import-failure.ts";
import type { ImportSource, Row, SourceTable } from "../read/import-source.ts";
import { assertReferencesHold } from "./broken-references.ts";
import type { ImportFiles } from "./import-files.ts";
import { storage } from "./import-plan.ts";
import { type DocumentRules, importedDocument } from "./imported-document.ts";
import type { ImportPlan, PlannedTable } from "./planned-tables.ts";
import { type NewNumbers, renumberIds } from "./renumber-ids.ts";
import { isImported } from "./scan-import.ts";
import { StagingFile } from "./staging-file.ts";
import { tablesAfter } from "./tables-after.ts";

/** Rows to stage before other work gets a turn. */
const rowsPerTurn = 100;
const rowsPerReport = 5_000;

type ImportRun = {
  readonly engine: Engine;
  readonly source: ImportSource;
  readonly plan: ImportPlan;
  readonly isCsv: boolean;
  readonly files: ImportFiles;
  /** The staging file to make. */
  readonly stagingFile: string;
  readonly schemaOf: (component: ComponentPath) => Schema;
  /** Runs a task while no function reads the database. */
  readonly whileIdle: <T>(task: () => T) => Promise<T>;
  readonly isCanceled: () => boolean;
  /** Called with the number of rows staged for the table being read. */
  readonly onRows: (table: PlannedTable, rows: number) => Promise<void>;
  readonly onTable: (table: PlannedTable, rows: number) => Promise<void>;
};

/**
 * Reads an import into a staging file, checks all of it, and puts it in place with one commit.
 * @returns the number of documents written. If it rejects with ImportFailure, nothing was changed.
 */
export async function runImport(run: ImportRun): Promise<number> {
  const { engine, plan, source, files } = run;
  const staging = new StagingFile(run.stagingFile);
  let written = 0;
  try {
    for (const table of plan.tables) staging.declare(table.name, table.indexes);
    await files.take(source);
    for (const each of source.tables.filter(isImported)) {
      const table = plan.tables.find(
        ({ component, table }) => component === each.component && table === each.table,
      );
      if (table === undefined) continue;
      const rows = await stageTable(run, staging, each, table);
      await run.onTable(table, rows);
      written += table.table === storage ? 0 : rows;
    }
  } finally {
    staging.close();
  }
  await assertReferencesHold(engine, plan, run.schemaOf);
  assertGoesOn(run);
  const replaced = plan.tables.filter(({ table, append }) => table === storage && !append);
  const staged = { file: run.stagingFile, tables: plan.tables, drop: plan.drop };
  // No snapshot from before is kept, so a running query would fail.
  const placed = await run.whileIdle(() =>
    engine.placeTables(staged, (transaction) => {
      files.place(transaction, new Set(replaced.map(({ component }) => component)), (component) =>
        newNumbersOf(plan, component),
      );
    }),
  );
  if (placed.kind === "refused") throw new ImportFailure(placed.reason);
  return written;
}

async function stageTable(
  run: ImportRun,
  staging: StagingFile,
  source: SourceTable,
  table: PlannedTable,
): Promise<number> {
  const schema = run.schemaOf(table.component);
  const rules: DocumentRules = {
    table: table.table,
    number: table.number,
    schema,
    tableOf: tablesAfter(run.engine, run.plan, table.component),
    clock: new CreationClock(),
    now: run.engine.now(),
  };
  const newNumbers = newNumbersOf(run.plan, table.component);
  let rows = 0;
  for await (const row of source.rows()) {
    const value = renumberIds(valueOf(run, source, row, schema), newNumbers);
    const checked = importedDocument(value, rules);
    if (checked.kind === "refused") throw at(source.file, row.line, checked.reason);
    if (!staging.add(table.name, checked.document)) {
      throw at(
        source.file,
        row.line,
        `the _id "${checked.document["_id"] as string}" is in the import twice.`,
      );
    }
    rows += 1;
    if (rows % rowsPerTurn === 0) await setImmediate();
    if (rows % rowsPerReport === 0) await run.onRows(table, rows);
    assertGoesOn(run);
  }
  return rows;
}

function valueOf(
  run: ImportRun,
  { table, file }: SourceTable,
  { line, value }: Row,
  schema: Schema,
): Row["value"] {
  if (table === storage) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return run.files.document(value, file, line);
  }
  return run.isCsv ? withoutEmptyOptional(value, schema.validators.get(table)) : value;
}

/** Ids within a component are rewritten if its tables get other numbers. */
function newNumbersOf({ tables }: ImportPlan, component: ComponentPath): NewNumbers {
  const own = tables.filter((table) => table.component === component);
  return new Map(own.flatMap(({ importedNumber: from, number }) => (from === null ? [] : [[from, number]])));
}

function assertGoesOn({ isCanceled }: ImportRun): void {
  if (isCanceled()) throw new ImportFailure("Import was canceled.");
}

/** Drops optional fields whose cells are empty, since CSV has no other way to leave a field out. */
function withoutEmptyOptional(row: JSONValue, validator: ValidatorJson | undefined): JSONValue {
  if (typeof row !== "object" || row === null || Array.isArray(row) || validator?.type !== "object")
    return row;
  const isLeftOut = ([name, value]: [string, JSONValue | undefined]): boolean =>
    value === "" && validator.value[name]?.optional === true;
  return Object.fromEntries(Object.entries(row).filter((field) => !isLeftOut(field)));
}
