import type { Doc, Id, QueryCtx, TableName } from "../builders.ts";
import { refuse } from "./refuse.ts";

type Scoped = "jobs" | "lanes" | "batches" | "workers";

/** An id as it came over the component's border; null for what is none of that table. */
export function idOf<Table extends TableName>(ctx: QueryCtx, table: Table, id: string): Id<Table> | null {
  return ctx.db.normalizeId(table, id);
}

/** A row of the scope; one of another scope is answered like one that does not exist: null. */
export async function findOwned<Table extends Scoped>(
  ctx: QueryCtx,
  table: Table,
  scope: string,
  id: string,
): Promise<Doc<Table> | null> {
  const known = idOf(ctx, table, id);
  // Generic over the table, the document's type is one that the compiler cannot see into.
  const row = (known === null ? null : await ctx.db.get(table, known)) as
    (Doc<Table> & { readonly scope: string }) | null;
  return row?.scope === scope ? row : null;
}

/** The same, refusing `not_found`. */
export async function loadOwned<Table extends Scoped>(
  ctx: QueryCtx,
  table: Table,
  scope: string,
  id: string,
): Promise<Doc<Table>> {
  return (await findOwned(ctx, table, scope, id)) ?? refuse("not_found", `There is no such row in ${table}.`);
}
