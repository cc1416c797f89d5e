/** Simultaneous calls seldom choose the same portion. */
const shards = 64;
/** Batches have a portion of their own: a large piece must not conflict with each call of its key. */
export const batchShard = shards;
/** The portions of calls and that of batches. */
export const mostPortions = shards + 1;

/** Of the credits, a half goes to the portions of calls when these are filled. The rest stays free for batches. */
const partForCalls = 2n;

/** A portion of calls, at random. A call that takes from several pools takes the same one of each: then it meets others once. */
export function anyShard(): number {
  return Math.floor(Math.random() * shards);
}

/** A part of a pool that only submissions of one row may take. Without a row it is empty. */
type Portion = { readonly shard: number; readonly leftMicro: bigint };

/** Credits that many calls take from, in portions, so that they do not conflict: the balance of a key, or what is left of a budget. */
export type Pool<Row extends Portion> = {
  readonly rowOf: (shard: number) => Promise<Row | null>;
  /** All rows. */
  readonly rows: () => Promise<readonly Row[]>;
  /** Stores a portion. `taken`: what a call took from it just now. */
  readonly write: (shard: number, row: Row | null, leftMicro: bigint, taken: bigint) => Promise<void>;
  /** All that nobody has taken, also the portions. It may be less than there is, but then it is at least `least`. */
  readonly sure: (rows: readonly Row[], least: bigint) => Promise<bigint>;
  /** Credits that were just given back. `sure` does not count them, since they are read only in need. */
  readonly given: () => Promise<bigint>;
};

/**
 * Takes credits from a portion. If that is used up, all portions are read and filled. Of many first calls at the same moment, one does
 * so for all.
 * @param room the credits that there must be: at least `micro`.
 * @returns whether there are so many credits.
 */
export async function takeFrom<Row extends Portion>(
  pool: Pool<Row>,
  shard: number,
  micro: bigint,
  room = micro,
): Promise<boolean> {
  const row = await pool.rowOf(shard);
  const left = await filled(pool, shard, row, room);
  if (left < room) return false;
  await pool.write(shard, row, left - micro, micro);
  return true;
}

/** The portion of a shard, filled if it is less than `least`. It may stay less. */
export async function roomIn<Row extends Portion>(
  pool: Pool<Row>,
  shard: number,
  least: bigint,
): Promise<bigint> {
  const row = await pool.rowOf(shard);
  const room = await filled(pool, shard, row, least);
  if (room !== leftIn(row)) await pool.write(shard, row, room, 0n);
  return room;
}

/** Takes credits from a portion that has them. */
export async function takePortion<Row extends Portion>(
  pool: Pool<Row>,
  shard: number,
  micro: bigint,
): Promise<void> {
  const row = await pool.rowOf(shard);
  await pool.write(shard, row, leftIn(row) - micro, micro);
}

/**
 * The portion of a row after it was filled, if it was less than `least`. If there is enough for all, the others are filled too;
 * if not, it is filled from what no other row has, and in need from the others.
 */
async function filled<Row extends Portion>(
  pool: Pool<Row>,
  shard: number,
  row: Row | null,
  least: bigint,
): Promise<bigint> {
  const left = leftIn(row);
  if (left >= least) return left;
  const rows = await pool.rows();
  const sure = await pool.sure(rows, least);
  const others = rows.filter((each) => each.shard !== shard);
  if (shard !== batchShard) {
    const batch = leftIn(rows.find((each) => each.shard === batchShard));
    const equal = (sure - batch) / (BigInt(shards) * partForCalls);
    if (equal >= least) {
      await fillOthers(pool, shard, rows, equal);
      return equal;
    }
  }
  const free = sure - others.reduce((sum, each) => sum + each.leftMicro, 0n);
  // A batch takes all that is free: each request of a piece must not read all rows again.
  const share = shard === batchShard ? free : free / BigInt(shards);
  if (free < least) {
    // Each end of a job adds an entry, so they are read only in need.
    const given = sure < least && shard !== batchShard ? await pool.given() : 0n;
    if (sure + given < least) return left;
    // The rest is in the portions of other rows.
    for (const each of others) await pool.write(each.shard, each, 0n, 0n);
  }
  return share > least ? share : least;
}

/** Gives each other row of calls the same portion. */
async function fillOthers<Row extends Portion>(
  pool: Pool<Row>,
  shard: number,
  rows: readonly Row[],
  leftMicro: bigint,
): Promise<void> {
  for (let other = 0; other < shards; other += 1) {
    if (other === shard) continue;
    const row = rows.find((each) => each.shard === other) ?? null;
    await pool.write(other, row, leftMicro, 0n);
  }
}

function leftIn(row: Portion | null | undefined): bigint {
  return row?.leftMicro ?? 0n;
}
