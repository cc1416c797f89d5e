import type { Engine } from "../../engine/model/types.ts";
import { type ComponentPath, parseEngineTableName } from "../../names/table-name.ts";
import type { TableOf } from "../../runtime/checks/validator-json.ts";
import { decodeDocumentId } from "../../values/document-id.ts";
import type { ImportPlan } from "./planned-tables.ts";

/** Finds the table of a component to which an id will belong after the import. */
export function tablesAfter(engine: Engine, { tables, drop }: ImportPlan, component: ComponentPath): TableOf {
  const gone = new Set([...drop, ...tables.map(({ name }) => name)]);
  const names = new Map<number, string>();
  for (const { number, name } of [...engine.tables().filter(({ name }) => !gone.has(name)), ...tables]) {
    const parsed = parseEngineTableName(name);
    if (parsed.component === component) names.set(number, parsed.table);
  }
  return (id) => {
    const decoded = decodeDocumentId(id);
    return decoded === null ? null : (names.get(decoded.tableNumber) ?? null);
  };
}
