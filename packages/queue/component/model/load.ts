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

/**
 * The only row of a range that has one at most, by our own writing. `unique` would read on, to see that no second
 * one comes: a step more for each row that is found, and steps are what a short call is made of.
 */
export async function firstOf<Row>(rows: AsyncIterable<Row>): Promise<Row | null> {
  for await (const row of rows) return row;
  return null;
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Without the fields that are undefined: in rows and views a field is there or it is not. */
export function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/**
 * Does it for all of them, so many at once, in their order. Convex refuses a call that has more than a thousand reads
 * under way at once.
 */
export async function inPieces<T, R>(
  all: readonly T[],
  atOnce: number,
  act: (one: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < all.length; from += atOnce) {
    results.push(...(await Promise.all(all.slice(from, from + atOnce).map(act))));
  }
  return results;
}
