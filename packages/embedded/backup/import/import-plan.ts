import type { NumberedTable } from "../../engine/model/types.ts";
import { engineTableName, parseEngineTableName } from "../../names/table-name.ts";
import { ImportFailure } from "../read/import-failure.ts";
import type { ImportedTable, ImportMode, ImportPlan, PlannedTable, Present } from "./planned-tables.ts";
import { resolveNumbers } from "./resolve-numbers.ts";

const firstFreeNumber = 10_001;
const namePattern = /^[a-zA-Z][a-zA-Z0-9_]{0,63}$/;
export const storage = "_storage";

/** Decides what an import does to each table. Throws ImportFailure if that is not allowed. */
export function planImport(
  mode: ImportMode,
  imported: readonly ImportedTable[],
  present: Present,
): ImportPlan {
  const existing = new Map(present.tables.map((table) => [table.name, table]));
  const numbers = new FreeNumbers(present.tables, imported);
  const tables = imported.map((each): PlannedTable => {
    const { component, table, rows } = each;
    assertNames(each, present);
    const name = engineTableName(each);
    const before = existing.get(name);
    const count = before === undefined ? 0 : present.count(name);
    if (mode === "requireEmpty" && count > 0) {
      throw new ImportFailure(
        `Table ${table} already exists. Please choose a new table name or use replace/append modes.`,
      );
    }
    const append = mode === "append" && before !== undefined;
    if (append && each.number !== null && each.number !== before.number) {
      throw new ImportFailure(
        `The ids of table "${table}" in the import are not those of the existing table, so it cannot be appended ` +
          "to. Import with --replace, or without the _id fields.",
      );
    }
    const number = append ? before.number : (each.number ?? before?.number ?? numbers.next());
    return {
      component,
      table,
      rows,
      name,
      number,
      append,
      existing: count,
      importedNumber: null,
      indexes: before?.indexes ?? [],
    };
  });
  const plan = mode === "replaceAll" ? withTheRest(tables, present) : { tables, drop: [] };
  return resolveNumbers(plan, present, () => numbers.next());
}

/** With `replaceAll`, tables that the import does not name are emptied, or dropped if no schema names them. */
function withTheRest(tables: readonly PlannedTable[], present: Present): ImportPlan {
  const named = new Set(tables.map(({ name }) => name));
  const rest = present.tables.filter(({ name }) => !named.has(name));
  const own = rest.filter(({ name }) => !parseEngineTableName(name).table.startsWith("_"));
  const emptied = own.flatMap((each): PlannedTable[] => {
    const { component, table } = parseEngineTableName(each.name);
    if (present.isDeclared(component, table) !== true) return [];
    return [
      {
        ...each,
        component,
        table,
        rows: 0,
        append: false,
        existing: present.count(each.name),
        importedNumber: null,
      },
    ];
  });
  const kept = new Set(emptied.map(({ name }) => name));
  const drop = own.filter(({ name }) => !kept.has(name)).map(({ name }) => name);
  return { tables: [...tables, ...emptied], drop };
}

function assertNames({ component, table }: ImportedTable, { isDeclared }: Present): void {
  if (isDeclared(component, table) === null) {
    throw new ImportFailure(`There is no component "${component}" in this deployment.`);
  }
  if (table !== storage && !namePattern.test(table)) {
    throw new ImportFailure(`"${table}" is not a valid table name.`);
  }
}

/** Hands out numbers that no table has, here or in the import. */
class FreeNumbers {
  #last: number;

  constructor(present: readonly NumberedTable[], imported: readonly ImportedTable[]) {
    this.#last = Math.max(
      firstFreeNumber - 1,
      ...present.map(({ number }) => number),
      ...imported.map(({ number }) => number ?? 0),
    );
  }

  next(): number {
    this.#last += 1;
    return this.#last;
  }
}

/** Formats the changes for the user to confirm, in Convex's words. */
export function summaryOf({ tables }: ImportPlan): string {
  const count = (n: number) => n.toLocaleString("en-US");
  const shown = tables
    .filter(({ onlyIfEmpty }) => onlyIfEmpty !== true)
    .map(({ name, table, rows, append, existing }) => {
      const unit = table === storage ? " files" : "";
      return [name, count(rows), `${count(append ? 0 : existing)} of ${count(existing)}${unit}`] as const;
    });
  const lines = [["table", "create", "delete"] as const, ...shown.sort(([a], [b]) => (a < b ? -1 : 1))];
  const width = (column: 0 | 1 | 2) => Math.max(...lines.map((cells) => cells[column].length));
  const [first, second, third] = [width(0), width(1), width(2)];
  const [header = "", ...body] = lines.map(
    ([a, b, c]) => `${a.padEnd(first)} | ${b.padEnd(second)} | ${c.padEnd(third)} |`,
  );
  return ["Import change summary:", header, "-".repeat(header.length), ...body].join("\n");
}

/** Whether the import deletes existing data. Then a person must confirm it. */
export function deletesSomething({ tables, drop }: ImportPlan): boolean {
  return drop.length > 0 || tables.some(({ append, existing }) => !append && existing > 0);
}
