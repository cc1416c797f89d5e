import { type ComponentPath, engineTableName } from "../../names/table-name.ts";
import { decodeDocumentId } from "../../values/document-id.ts";
import { at } from "../read/import-failure.ts";
import type { ImportSource, Row, SourceTable } from "../read/import-source.ts";
import { storage } from "./import-plan.ts";
import type { ImportedTable } from "./planned-tables.ts";

const tables = "_tables";

/** Reads an import once from end to end. Returns its tables with their numbers and row counts. */
export async function scanImport(source: ImportSource): Promise<readonly ImportedTable[]> {
  const numbers = new Map<string, number>();
  const components = new Map<string, { component: ComponentPath; table: string }>();
  for (const each of source.tables.filter(({ table }) => table === tables)) {
    for await (const row of each.rows()) {
      const { name, id } = tableRow(each, row);
      const table = { component: each.component, table: name };
      numbers.set(engineTableName(table), id);
      components.set(engineTableName(table), table);
    }
  }
  const counted = new Map<string, ImportedTable>();
  for (const each of source.tables.filter(isImported)) {
    const name = engineTableName(each);
    if (counted.has(name)) throw at(each.file, 1, `the table "${each.table}" is in the import twice.`);
    const { rows, firstNumber } = await readThrough(each);
    const number = numbers.get(name) ?? firstNumber;
    counted.set(name, { component: each.component, table: each.table, number, rows });
  }
  // Tables without documents appear only in `_tables`.
  const empty = [...components].filter(([name]) => !counted.has(name));
  return [
    ...counted.values(),
    ...empty.map(([name, table]) => ({ ...table, number: numbers.get(name) ?? null, rows: 0 })),
  ];
}

/** As in Convex, other system tables are not imported. */
export function isImported({ table }: Pick<SourceTable, "table">): boolean {
  return table === storage || !table.startsWith("_");
}

async function readThrough(table: SourceTable): Promise<{ rows: number; firstNumber: number | null }> {
  let rows = 0;
  let firstNumber: number | null = null;
  for await (const { value } of table.rows()) {
    rows += 1;
    if (rows > 1) continue;
    const id =
      typeof value === "object" && value !== null && !Array.isArray(value) ? value["_id"] : undefined;
    firstNumber = typeof id === "string" ? (decodeDocumentId(id)?.tableNumber ?? null) : null;
  }
  return { rows, firstNumber };
}

function tableRow(
  { file }: SourceTable,
  { line, value }: Row,
): { readonly name: string; readonly id: number } {
  const row = value as { readonly name?: unknown; readonly id?: unknown } | null;
  const id = typeof row === "object" ? plainNumber(row?.id) : null;
  if (typeof row?.name !== "string" || id === null) {
    throw at(file, line, 'expected {"name": …, "id": …} of a table.');
  }
  return { name: row.name, id };
}

function plainNumber(value: unknown): number | null {
  const isNumber = typeof value === "number" && Number.isInteger(value) && value > 0 && value < 2 ** 32;
  return isNumber ? value : null;
}
