import { type ComponentPath, engineTableName, localTableOf } from "../../names/table-name.ts";
import { decodeDocumentId, undecodableReason } from "../../values/document-id.ts";
import type { TransactionExecution } from "../execution/execution.ts";
import { SyscallError } from "../execution/syscall-error.ts";
import { isReadableSystemTable } from "../tables/system-tables.ts";
import { invalidArg } from "./syscall-args.ts";

/** Returns the engine's name for a table that a component's code names. Throws if the name is not allowed. */
export function tableFor(component: ComponentPath, table: string): string {
  // A slash would reach into another component.
  if (table.includes("/")) throw new SyscallError(`"${table}" is not a valid table name.`);
  return engineTableName({ component, table });
}

/** No table has this name, which Convex does not allow. */
const noTable = "_";

/** The same for reads. As on Convex, the tables that the backend keeps for itself look as if they did not exist. */
export function readableTableFor(component: ComponentPath, table: string): string {
  return tableFor(component, isPrivate(table) ? noTable : table);
}

function isPrivate(table: string): boolean {
  return table.startsWith("_") && !isReadableSystemTable(table);
}

/** Refuses system tables where `isSystem` is false, and others where it is true. The words are Convex's. */
export function guardSystemTable(table: string, isSystem: boolean): void {
  if (table.startsWith("_") === isSystem) return;
  throw new SyscallError(
    isSystem
      ? "User tables cannot be accessed with db.system."
      : "System tables can only be accessed with db.system.",
  );
}

/**
 * Returns the local name of the table of the id that `method` received; null if the component has no such table, or none
 * that functions may know. If `expected` is given, it must be that table.
 */
export function tableOfArg(
  { transaction, component }: TransactionExecution,
  id: string,
  expected: string | null,
  method: string,
): string | null {
  const table = localTableOf(transaction, component, id);
  if (table === null) {
    if (decodeDocumentId(id) !== null) return null;
    throw invalidArg("id", method, `Unable to decode ID: ${undecodableReason(id)}`);
  }
  if (expected !== null && expected !== table) {
    throw invalidArg("id", method, `expected to be an Id<"${expected}">, got Id<"${table}"> instead.`);
  }
  return isPrivate(table) ? null : table;
}
