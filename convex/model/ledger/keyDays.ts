import { addCounts, dayOf, type KeyCount, type KeyUse, useOf } from "../../../app/keys/quotas.ts";
import { monthOf } from "../../../app/usage/months.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { keyAccount, keyOfAccount } from "./transfer.ts";

/** A month has no more days. */
const mostDays = 31;
/** Days that are kept for too long are deleted a few at a time, whenever a new one is written. */
const perSweep = 3;
const keptMs = 62 * 86_400_000;

/** Adds a pending entry of a key's job to the use of the day on which the job was submitted. */
export async function addToKeyDay(
  ctx: MutationCtx,
  { account, micro, counts }: Doc<"ledgerPending">,
): Promise<void> {
  const apiKeyId = counts === undefined ? null : ctx.db.normalizeId("apiKeys", keyOfAccount(account) ?? "");
  if (counts === undefined || apiKeyId === null) return;
  const startAt = dayOf(counts.at);
  const row = await ctx.db
    .query("keyDays")
    .withIndex("by_key", (q) => q.eq("apiKeyId", apiKeyId).eq("startAt", startAt))
    .unique();
  const added = { ...counts, micro: -micro };
  if (row !== null) {
    await ctx.db.patch("keyDays", row._id, addCounts(row, added));
    return;
  }
  const { requests, tokens } = counts;
  await ctx.db.insert("keyDays", { apiKeyId, startAt, requests, tokens, micro: -micro });
  const old = await ctx.db
    .query("keyDays")
    .withIndex("by_key", (q) => q.eq("apiKeyId", apiKeyId).lt("startAt", startAt - keptMs))
    .take(perSweep);
  for (const { _id } of old) await ctx.db.delete("keyDays", _id);
}

/** The use of a key on the present day and in the present month, as the projector knows it: at most some two minutes old. */
export async function projectedUse(ctx: QueryCtx, apiKeyId: Id<"apiKeys">, now: number): Promise<KeyUse> {
  return useOf(await daysOf(ctx, apiKeyId, now), now);
}

/** The projector takes up entries within a minute. Only large batches of a key leave more, and count less for that minute. */
const mostPending = 8_000;

/**
 * The use of a key until now. Ask in a query of its own, or seldom: a mutation that reads the pending entries conflicts with every
 * other call of the key.
 */
export async function presentUse(ctx: QueryCtx, apiKeyId: Id<"apiKeys">, now: number): Promise<KeyUse> {
  return (await readUse(ctx, apiKeyId, now, mostPending)).use;
}

/** The same of several keys, in their order. They share the bound of the pending entries that are read. */
export async function presentUses(
  ctx: QueryCtx,
  keyIds: readonly Id<"apiKeys">[],
  now: number,
): Promise<KeyUse[]> {
  const uses: KeyUse[] = [];
  let left = mostPending;
  for (const id of keyIds) {
    const { use, pending } = await readUse(ctx, id, now, left);
    left -= pending;
    uses.push(use);
  }
  return uses;
}

/** `pending`: the pending entries that were read, at most `most`. */
async function readUse(
  ctx: QueryCtx,
  apiKeyId: Id<"apiKeys">,
  now: number,
  most: number,
): Promise<{ readonly use: KeyUse; readonly pending: number }> {
  const [days, pending] = await Promise.all([
    daysOf(ctx, apiKeyId, now),
    ctx.db
      .query("ledgerPending")
      .withIndex("by_account", (q) => q.eq("account", keyAccount(apiKeyId)))
      .take(most),
  ]);
  const added = pending.flatMap(({ micro, counts }): (KeyCount & { startAt: number })[] =>
    counts === undefined ? [] : [{ ...counts, micro: -micro, startAt: dayOf(counts.at) }],
  );
  return { use: useOf([...days, ...added], now), pending: pending.length };
}

async function daysOf(ctx: QueryCtx, apiKeyId: Id<"apiKeys">, now: number): Promise<Doc<"keyDays">[]> {
  return await ctx.db
    .query("keyDays")
    .withIndex("by_key", (q) => q.eq("apiKeyId", apiKeyId).gte("startAt", monthOf(now)))
    .take(mostDays);
}
