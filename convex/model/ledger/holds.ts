import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { accountRow } from "./balance.ts";
import { anyShard, mostPortions, type Pool, roomIn, takeFrom, takePortion, type Way } from "./portions.ts";
import { keyAccount } from "./transfer.ts";

/**
 * Debits a key's balance in advance, so that it never falls below zero, also before the projector has added the entries. Credits that
 * jobs have just given back are counted only for a key that would have too few without them. Book the debit with `held`.
 * @param room the credits that the key must have: at least `micro`.
 * @returns whether the key has so many credits. Throws `GaveWay` if the way has a turn.
 */
export async function hold(
  ctx: MutationCtx,
  apiKeyId: Id<"apiKeys">,
  micro: bigint,
  room = micro,
  way: Way = { shard: anyShard() },
): Promise<boolean> {
  return micro <= 0n || (await takeFrom(poolOf(ctx, apiKeyId), way, micro, room));
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

/** The portion of batches, filled if it is less than `least`. It may stay less. */
export async function roomForBatch(
  ctx: MutationCtx,
  apiKeyId: Id<"apiKeys">,
  least: bigint,
): Promise<bigint> {
  return await roomIn(poolOf(ctx, apiKeyId), least);
}

/** Takes credits from the portion of batches, which has them. */
export async function spendOfBatch(ctx: MutationCtx, apiKeyId: Id<"apiKeys">, micro: bigint): Promise<void> {
  await takePortion(poolOf(ctx, apiKeyId), micro);
}

/** A key's balance in portions. `sure` is the projected balance less the debits that are noted and not projected. */
function poolOf(ctx: MutationCtx, apiKeyId: Id<"apiKeys">): Pool<Doc<"keyHolds">> {
  return {
    name: apiKeyId,
    rowOf: async (shard) =>
      await ctx.db
        .query("keyHolds")
        .withIndex("by_key", (q) => q.eq("apiKeyId", apiKeyId).eq("shard", shard))
        .unique(),
    rows: async () => await rowsOf(ctx, apiKeyId),
    write: async (shard, row, leftMicro, taken) => {
      const after = { leftMicro, spentMicro: (row?.spentMicro ?? 0n) + taken };
      if (row === null) await ctx.db.insert("keyHolds", { apiKeyId, shard, ...after });
      else await ctx.db.patch("keyHolds", row._id, after);
    },
    sure: async (rows) => (await projectedOf(ctx, apiKeyId)) - spentIn(rows),
    given: async () => await pendingOf(ctx, apiKeyId),
  };
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
  return projected - spentIn(rows) + given;
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
    .take(mostPortions);
}

function spentIn(rows: readonly Doc<"keyHolds">[]): bigint {
  return rows.reduce((sum, { spentMicro }) => sum + spentMicro, 0n);
}
