import { ConvexError } from "convex/values";

/** Simultaneous calls seldom choose the same portion. */
const shards = 64;
/** Batches have a portion of their own: a large piece must not conflict with each call of its key. */
export const batchShard = shards;
/** The portions of calls and that of batches. */
export const mostPortions = shards + 1;

/** Of the credits, a half goes to the portions of calls when these are filled. The rest stays free for batches. */
const partForCalls = 2n;

/** As long as so many portions have enough, calls whose own one is used up go to them, and nobody fills all of them again. */
const enoughPortions = shards / 4;

/** The portions besides its own that a call tries that cannot give way. */
const mostTried = 3;

/** A portion of calls, at random. A call that takes from several pools takes the same one of each: then it meets others once. */
export function anyShard(): number {
  return Math.floor(Math.random() * shards);
}

/**
 * A call that is made again after it gave way (`GaveWay`). `shards`: by the name of a pool, the portion from which it takes now.
 * `gathers`: it has waited for a random time, and may fill the portions.
 */
export type Turn = { readonly shards: Readonly<Record<string, number>>; readonly gathers: boolean };

/** How a call takes from pools. Without a turn it cannot give way, so it takes what there is at once. */
export type Way = { readonly shard: number; readonly turn?: Turn | undefined };

export const giveWayKind = "gave-way";

/**
 * The data of the ConvexError with which a call gives way. Its portion of the pool is used up, so it would have to read or change
 * rows that others change. `shard`: a portion that has enough; null if the portions have to be filled. Nothing was stored, so
 * nothing conflicts.
 */
export type GaveWay = {
  readonly kind: typeof giveWayKind;
  readonly pool: string;
  readonly shard: number | null;
};

/** A part of a pool that only submissions of one row may take. Without a row it is empty. */
type Portion = { readonly shard: number; readonly leftMicro: bigint };

/** Credits that many calls take from, in portions, so that they do not conflict: the balance of a key, or what is left of a budget. */
export type Pool<Row extends Portion> = {
  readonly name: string;
  readonly rowOf: (shard: number) => Promise<Row | null>;
  /** All rows. */
  readonly rows: () => Promise<readonly Row[]>;
  /** Stores a portion. `taken`: what a call took from it just now. `laid`: that it was filled just now, or emptied for the others. */
  readonly write: (
    shard: number,
    row: Row | null,
    leftMicro: bigint,
    taken: bigint,
    laid?: Layout,
  ) => Promise<void>;
  /** All that nobody has taken, also the portions. It may be less than there is, but then it is at least `least`. */
  readonly sure: (rows: readonly Row[], least: bigint) => Promise<bigint>;
  /** Credits that were just given back. `sure` does not count them, since they are read only in need. */
  readonly given: () => Promise<bigint>;
};

/**
 * Takes credits from a portion. If that is used up, another one has to do, or all are read and filled. A call that reads all of
 * them and then stores something conflicts with every other call. So a call with a turn gives way instead: it throws `GaveWay`.
 * @param room the credits that there must be: at least `micro`.
 * @returns whether there are so many credits.
 */
export async function takeFrom<Row extends Portion>(
  pool: Pool<Row>,
  { shard: usual, turn }: Way,
  micro: bigint,
  room = micro,
): Promise<boolean> {
  const shard = turn?.shards[pool.name] ?? usual;
  const row = await pool.rowOf(shard);
  const found = leftIn(row) >= room ? row : turn === undefined ? await tryOthers(pool, shard, room) : null;
  if (found !== null) {
    await pool.write(found.shard, found, found.leftMicro - micro, micro);
    return true;
  }
  const rows = await pool.rows();
  const full = rows.filter((each) => each.shard !== batchShard && each.leftMicro >= room);
  const other = full[Math.floor(Math.random() * full.length)];
  if (turn === undefined && other !== undefined) {
    await pool.write(other.shard, other, other.leftMicro - micro, micro);
    return true;
  }
  if (other !== undefined && full.length >= enoughPortions) giveWay(pool, other.shard);
  const sure = await pool.sure(rows, room);
  // Each end of a job adds an entry, so they are read only in need.
  const total = sure < room ? sure + (await pool.given()) : sure;
  if (total < room) {
    if (other !== undefined) giveWay(pool, other.shard);
    return false;
  }
  const batch = leftIn(rows.find((each) => each.shard === batchShard));
  const plan = layOut(total, batch, room);
  if (turn !== undefined) {
    if (other !== undefined && plan.count < 2 * full.length) giveWay(pool, other.shard);
    // A pool of which nobody has taken anything yet is filled at once.
    if (!turn.gathers && rows.length > 0) giveWay(pool, null);
  }
  await layPortions(pool, { shard, row, rows, taken: micro }, plan);
  return true;
}

/** Portions at random that have enough. They are read one by one, so only calls of the same portion conflict. */
async function tryOthers<Row extends Portion>(
  pool: Pool<Row>,
  except: number,
  room: bigint,
): Promise<Row | null> {
  const tried = new Set(Array.from({ length: mostTried }, anyShard));
  tried.delete(except);
  const rows = await Promise.all([...tried].map(async (shard) => await pool.rowOf(shard)));
  return rows.find((row) => leftIn(row) >= room) ?? null;
}

function giveWay({ name }: Pick<Pool<Portion>, "name">, shard: number | null): never {
  throw new ConvexError<GaveWay>({ kind: giveWayKind, pool: name, shard });
}

/** So many portions of calls with so many credits each. `isRest`: nothing is left besides. `wholly`: not even the portion of batches. */
export type Layout = {
  readonly count: number;
  readonly portion: bigint;
  readonly isRest: boolean;
  readonly wholly: boolean;
};

/**
 * How the portions of calls are filled: all alike, from a half of the credits. If that is too little, from all but the portion of batches,
 * and as many as that fills with `least`. If it fills none, one gets all credits.
 * @param total all credits that nobody has taken: at least `least`.
 * @param batch the part of them that is the portion of batches.
 */
export function layOut(total: bigint, batch: bigint, least: bigint): Layout {
  const calls = total - batch;
  const equal = calls / (BigInt(shards) * partForCalls);
  if (equal >= least) return { count: shards, portion: equal, isRest: false, wholly: false };
  const fills = calls / least;
  if (fills < 1n) return { count: 1, portion: total, isRest: true, wholly: true };
  const count = fills < BigInt(shards) ? Number(fills) : shards;
  return { count, portion: calls / BigInt(count), isRest: true, wholly: false };
}

/** Gives the portions from a call's own one on so many credits, and the others none. The call takes its part at the same time. */
async function layPortions<Row extends Portion>(
  pool: Pool<Row>,
  {
    shard,
    row,
    rows,
    taken,
  }: {
    readonly shard: number;
    readonly row: Row | null;
    readonly rows: readonly Row[];
    readonly taken: bigint;
  },
  layout: Layout,
): Promise<void> {
  const { count, portion, wholly } = layout;
  await pool.write(shard, row, portion - taken, taken, layout);
  for (let step = 1; step < shards; step += 1) {
    const other = (shard + step) % shards;
    const before = rows.find((each) => each.shard === other) ?? null;
    const after = step < count ? portion : 0n;
    if (leftIn(before) !== after) await pool.write(other, before, after, 0n, layout);
  }
  const batch = rows.find((each) => each.shard === batchShard);
  if (wholly && batch !== undefined) await pool.write(batchShard, batch, 0n, 0n, layout);
}

/** The portion of batches, filled if it is less than `least`. It may stay less. */
export async function roomIn<Row extends Portion>(pool: Pool<Row>, least: bigint): Promise<bigint> {
  const row = await pool.rowOf(batchShard);
  const left = leftIn(row);
  const room = left >= least ? left : await forBatches(pool, left, least);
  if (room !== left) await pool.write(batchShard, row, room, 0n);
  return room;
}

/** Takes credits from the portion of batches. */
export async function takePortion<Row extends Portion>(pool: Pool<Row>, micro: bigint): Promise<void> {
  const row = await pool.rowOf(batchShard);
  await pool.write(batchShard, row, leftIn(row) - micro, micro);
}

/**
 * A larger portion of batches: all that no portion has, since each request of a piece must not read all rows again. In need also those of
 * calls.
 */
async function forBatches<Row extends Portion>(
  pool: Pool<Row>,
  left: bigint,
  least: bigint,
): Promise<bigint> {
  const rows = await pool.rows();
  const sure = await pool.sure(rows, least);
  const others = rows.filter((each) => each.shard !== batchShard);
  const free = sure - others.reduce((sum, each) => sum + each.leftMicro, 0n);
  if (free < least) {
    if (sure < least) return left;
    for (const each of others) await pool.write(each.shard, each, 0n, 0n);
  }
  return free > least ? free : least;
}

function leftIn(row: Portion | null | undefined): bigint {
  return row?.leftMicro ?? 0n;
}
