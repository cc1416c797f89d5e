import type { Id } from "../_generated/dataModel.js";
import { refuse } from "./refuse.ts";

/**
 * Every row that was found by an id from outside passes here. Another organization's row is answered
 * exactly like one that does not exist.
 */
export function owned<Row extends { readonly organizationId: Id<"organizations"> }>(
  row: Row | null,
  organizationId: Id<"organizations">,
  noun: string,
): Row {
  return row?.organizationId === organizationId ? row : refuse("not_found", `There is no such ${noun}.`);
}

/** A row that another row names: its absence is a bug of ours. */
export function present<T>(row: T | null, what: string): T {
  if (row === null) throw new Error(`missing row: ${what}`);
  return row;
}
