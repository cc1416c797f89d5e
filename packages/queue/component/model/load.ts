import type { Doc, Id, QueryCtx, TableName } from "./builders.ts";
import { refuse } from "./refuse.ts";

type Scoped = "jobs" | "lanes" | "batches" | "workers";

/** Parses an id from outside the component; null if it is not an id of the table. */
export function idOf<Table extends TableName>(ctx: QueryCtx, table: Table, id: string): Id<Table> | null {
  return ctx.db.normalizeId(table, id);
}

/** A row of the scope. A row of another scope is treated as missing: null. */
export async function findOwned<Table extends Scoped>(
  ctx: QueryCtx,
  table: Table,
  scope: string,
  id: string,
): Promise<Doc<Table> | null> {
  const known = idOf(ctx, table, id);
  // The table is generic here, so the compiler cannot see the row's fields.
  const row = (known === null ? null : await ctx.db.get(table, known)) as
    (Doc<Table> & { readonly scope: string }) | null;
  return row?.scope === scope ? row : null;
}

/** A row of the scope. Refuses: not_found. */
export async function loadOwned<Table extends Scoped>(
  ctx: QueryCtx,
  table: Table,
  scope: string,
  id: string,
): Promise<Doc<Table>> {
  return (await findOwned(ctx, table, scope, id)) ?? refuse("not_found", `No such row in ${table}.`);
}

/**
 * The only row of a range that never has more than one. `unique` would read on to check that no second row follows.
 * That costs one more step per row, and steps dominate the time of a short call.
 */
export async function firstOf<Row>(rows: AsyncIterable<Row>): Promise<Row | null> {
  for await (const row of rows) return row;
  return null;
}

/** The first rows of a range, at most so many. `take` would read on to check for an end. */
export async function firstFew<Row>(rows: AsyncIterable<Row>, most: number): Promise<Row[]> {
  const few: Row[] = [];
  for await (const row of rows) if (few.push(row) >= most) break;
  return few;
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Leaves out the fields that are undefined. Rows and views omit absent fields. */
export function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** The map's value for the key. Reads and stores a missing one. */
export function remembered<Key, Value>(known: Map<Key, Value>, key: Key, read: () => Value): Value {
  const value = known.get(key) ?? read();
  known.set(key, value);
  return value;
}

/** Maps a list in order, `atOnce` items at a time. Convex refuses a call with more than 1,000 reads under way. */
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

/** In random order. */
export function shuffled<T>(few: readonly T[]): readonly T[] {
  return few
    .map((each) => ({ each, draw: Math.random() }))
    .sort((a, b) => a.draw - b.draw)
    .map(({ each }) => each);
}
