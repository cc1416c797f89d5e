import { appComponent, parseEngineTableName } from "../../names/table-name.ts";
import { ImportFailure } from "../read/import-failure.ts";
import type { ImportPlan, PlannedTable, Present } from "./planned-tables.ts";

/**
 * Gives each table a number of its own. Ids contain the number of their table. In Convex each component counts
 * its own tables; here all components share one sequence, so an import can bring collisions. The app's table
 * keeps its number. An imported table of a component gets another one, and its ids are rewritten; so does an
 * empty table that is not imported. Throws ImportFailure if documents outside of the import would have to
 * change.
 */
export function resolveNumbers(plan: ImportPlan, present: Present, next: () => number): ImportPlan {
  const named = new Set([...plan.drop, ...plan.tables.map(({ name }) => name)]);
  const staying = present.tables.filter(({ name }) => !named.has(name));
  const fixed = new Map(
    staying.filter(({ name }) => present.count(name) > 0).map(({ name, number }) => [number, name]),
  );
  const claimed = new Map<number, PlannedTable>();
  const claim = (table: PlannedTable): PlannedTable => {
    const holder = fixed.get(table.number) ?? claimed.get(table.number)?.name;
    if (holder === undefined) {
      claimed.set(table.number, table);
      return table;
    }
    if (table.component === appComponent || table.append) {
      throw new ImportFailure(
        `The ids of table "${table.table}" conflict with those of the table "${holder}". ` +
          "Import into an empty deployment, or import both tables together.",
      );
    }
    const moved = { ...table, number: next(), importedNumber: table.number };
    claimed.set(moved.number, moved);
    return moved;
  };
  // Tables that are appended to cannot change their number. The app's tables come next.
  const rank = ({ append, component }: PlannedTable): number =>
    append ? 0 : component === appComponent ? 1 : 2;
  const ordered = [...plan.tables].sort((a, b) => rank(a) - rank(b));
  const byName = new Map(ordered.map((table) => [table.name, claim(table)]));
  const tables = plan.tables.map((table) => byName.get(table.name) ?? table);
  const displaced = staying
    .filter(({ number }) => claimed.has(number))
    .map((table): PlannedTable => {
      const { component, table: local } = parseEngineTableName(table.name);
      return {
        ...table,
        component,
        table: local,
        number: next(),
        importedNumber: null,
        rows: 0,
        existing: 0,
        append: false,
        onlyIfEmpty: true,
      };
    });
  return { tables: [...tables, ...displaced], drop: plan.drop };
}
