import type { Transaction } from "../../engine/model/types.ts";
import { type ComponentPath, engineTableName, parseEngineTableName } from "../../names/table-name.ts";
import { SyscallError } from "../execution/syscall-error.ts";

/** The engine's name for a table that a component's code names. Throws where none may be called so. */
export function tableFor(component: ComponentPath, table: string): string {
  // A slash would reach into another component.
  if (table.includes("/")) throw new SyscallError(`"${table}" is not a valid table name.`);
  return engineTableName({ component, table });
}

/** The table of an id, as the component calls it; null for ids of other components and of no deployment. */
export function localTableOf(
  transaction: Pick<Transaction, "tableOf">,
  component: ComponentPath,
  id: string,
): string | null {
  const name = transaction.tableOf(id);
  if (name === null) return null;
  const parsed = parseEngineTableName(name);
  return parsed.component === component ? parsed.table : null;
}
