import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { accountRow } from "./balance.ts";
import { keyAccount } from "./transfer.ts";

/** Simultaneous calls of one key seldom choose the same row. */
const shards = 64;
/** Batches have a row of their own: a large piece must not conflict with each call of its key. */
export const batchShard = shards;

/** Of the credits, a half goes to the portions of calls when these are filled. The rest stays free for batches. */
const partForCalls = 2n;

type Shard = Pick<Doc<"keyHolds">, "leftMicro" | "spentMicro">;
const unused: Shard = { leftMicro: 0n, spentMicro: 0n };

/**
 * Debits a key's balance in advance, so that it never falls below zero, also before the projector has added the entries. Each call takes from the
 * portion of one row. If that is used up, all rows are read and filled. Of many first calls of a key at the same moment, one does
 * so for all. Credits that jobs have just given back are counted only for a key that would have too few without them. Book the
 * debit with `held`.
 * @param room the credits that the key must have: at least `micro`.
 * @returns whether the key has so many credits.
 */
export async function hold(
  ctx: MutationCtx,
  apiKeyId: Id<"apiKeys">,
  micro: bigint,
  room = micro,
): Promise<boolean> {
  if (micro <= 0n) return true;
  const shard = Math.floor(Math.random() * shards);
  const row = await rowOf(ctx, apiKeyId, shard);
  const left = await filled(ctx, apiKeyId, shard, row, room);
  if (left < room) return false;
  const { spentMicro } = row ?? unused;
  await write(ctx, apiKeyId, shard, row, { leftMicro: left - micro, spentMicro: spentMicro + micro });
  return true;
}

/**
 * Holds as much of an amount as the key has, for an answer that cost more than was reserved.
 * @returns the micro-credits that are held.
 */
export async function holdUpTo(ctx: MutationCtx, apiKeyId: Id<"apiKeys">, micro: bigint): Promise<bigint> {
  if (await hold(ctx, apiKeyId, micro)) return micro;
  const available = await availableOf(ctx, apiKeyId);
  if (available <= 0n) return 0n;
  const part = available < micro ? available : micro;
  return (await hold(ctx, apiKeyId, part)) ? part : 0n;
}

/** The portion of a row, filled if it is less than `least`. It may stay less. */
export async function roomFor(
  ctx: MutationCtx,
  apiKeyId: Id<"apiKeys">,
  shard: number,
  least: bigint,
): Promise<bigint> {
  const row = await rowOf(ctx, apiKeyId, shard);
  const { leftMicro, spentMicro } = row ?? unused;
  const room = await filled(ctx, apiKeyId, shard, row, least);
  if (room !== leftMicro) await write(ctx, apiKeyId, shard, row, { leftMicro: room, spentMicro });
  return room;
}

/**
 * The portion of a row after it was filled, if it was less than `least`. If there is enough for all, the others are filled too;
 * if not, it is filled from what no other row has, and in need from the others.
 */
async function filled(
  ctx: MutationCtx,
  apiKeyId: Id<"apiKeys">,
  shard: number,
  row: Doc<"keyHolds"> | null,
  least: bigint,
): Promise<bigint> {
  const { leftMicro } = row ?? unused;
  if (leftMicro >= least) return leftMicro;
  const [rows, projected] = await Promise.all([rowsOf(ctx, apiKeyId), projectedOf(ctx, apiKeyId)]);
  const sure = projected - sumOf(rows, "spentMicro");
  const others = rows.filter((each) => each.shard !== shard);
  if (shard !== batchShard) {
    const batch = rows.filter((each) => each.shard === batchShard);
    const equal = (sure - sumOf(batch, "leftMicro")) / (BigInt(shards) * partForCalls);
    if (equal >= least) {
      await fillOthers(ctx, apiKeyId, shard, rows, equal);
      return equal;
    }
  }
  const free = sure - sumOf(others, "leftMicro");
  // A batch takes all that is free: each request of a piece must not read all rows again.
  const share = shard === batchShard ? free : free / BigInt(shards);
  if (free < least) {
    // Each end of a job adds an entry, so they are read only in need.
    const given = sure < least && shard !== batchShard ? await pendingOf(ctx, apiKeyId) : 0n;
    if (sure + given < least) return leftMicro;
    // The rest is in the portions of other rows.
    for (const { _id } of others) await ctx.db.patch("keyHolds", _id, { leftMicro: 0n });
  }
  return share > least ? share : least;
}

/** Gives each other row of calls the same portion. */
async function fillOthers(
  ctx: MutationCtx,
  apiKeyId: Id<"apiKeys">,
  shard: number,
  rows: readonly Doc<"keyHolds">[],
  leftMicro: bigint,
): Promise<void> {
  for (let other = 0; other < shards; other += 1) {
    if (other === shard) continue;
    const row = rows.find((each) => each.shard === other) ?? null;
    const { spentMicro } = row ?? unused;
    await write(ctx, apiKeyId, other, row, { leftMicro, spentMicro });
  }
}

/** Takes credits from a portion that has them. */
export async function spend(
  ctx: MutationCtx,
  apiKeyId: Id<"apiKeys">,
  shard: number,
  micro: bigint,
): Promise<void> {
  const row = await rowOf(ctx, apiKeyId, shard);
  const { leftMicro, spentMicro } = row ?? unused;
  const after = { leftMicro: leftMicro - micro, spentMicro: spentMicro + micro };
  await write(ctx, apiKeyId, shard, row, after);
}

/** Ends all portions, for a debit of the balance that is projected at once. Check `availableOf` before. */
export async function endPortions(ctx: MutationCtx, apiKeyId: Id<"apiKeys">): Promise<void> {
  for (const { _id } of await rowsOf(ctx, apiKeyId)) await ctx.db.patch("keyHolds", _id, { leftMicro: 0n });
}

/** Deletes the rows of a key that was revoked long ago, so that it has no open jobs and submits no more. */
export async function forgetHolds(ctx: MutationCtx, apiKeyId: Id<"apiKeys">): Promise<void> {
  for (const { _id } of await rowsOf(ctx, apiKeyId)) await ctx.db.delete("keyHolds", _id);
}

/** The credits that a key can spend now: its balance with all entries that are not projected yet. Reads all of them. */
export async function availableOf(ctx: QueryCtx, apiKeyId: Id<"apiKeys">): Promise<bigint> {
  const [rows, projected, given] = await Promise.all([
    rowsOf(ctx, apiKeyId),
    projectedOf(ctx, apiKeyId),
    pendingOf(ctx, apiKeyId),
  ]);
  return projected - sumOf(rows, "spentMicro") + given;
}

/** The projected balance without the debits that `keyHolds` has noted. */
async function projectedOf(ctx: QueryCtx, apiKeyId: Id<"apiKeys">): Promise<bigint> {
  const account = await accountRow(ctx, keyAccount(apiKeyId));
  return (account?.balanceMicro ?? 0n) + (account?.heldMicro ?? 0n);
}

/** Bounds what one call reads. Credits of further entries count a minute later. */
const mostPending = 1_000;

/** The entries that are not projected yet, without those debits. */
async function pendingOf(ctx: QueryCtx, apiKeyId: Id<"apiKeys">): Promise<bigint> {
  const entries = await ctx.db
    .query("ledgerPending")
    .withIndex("by_account", (q) => q.eq("account", keyAccount(apiKeyId)))
    .take(mostPending);
  return entries.reduce((sum, { micro, held }) => (held === true ? sum : sum + micro), 0n);
}

async function rowsOf(ctx: QueryCtx, apiKeyId: Id<"apiKeys">): Promise<Doc<"keyHolds">[]> {
  return await ctx.db
    .query("keyHolds")
    .withIndex("by_key", (q) => q.eq("apiKeyId", apiKeyId))
    .take(shards + 1);
}

async function rowOf(ctx: QueryCtx, apiKeyId: Id<"apiKeys">, shard: number): Promise<Doc<"keyHolds"> | null> {
  return await ctx.db
    .query("keyHolds")
    .withIndex("by_key", (q) => q.eq("apiKeyId", apiKeyId).eq("shard", shard))
    .unique();
}

async function write(
  ctx: MutationCtx,
  apiKeyId: Id<"apiKeys">,
  shard: number,
  row: Doc<"keyHolds"> | null,
  after: Shard,
): Promise<void> {
  if (row === null) await ctx.db.insert("keyHolds", { apiKeyId, shard, ...after });
  else await ctx.db.patch("keyHolds", row._id, after);
}

function sumOf(rows: readonly Shard[], field: keyof Shard): bigint {
  return rows.reduce((sum, row) => sum + row[field], 0n);
}
