import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { deviceAccount } from "./accounts.ts";

/** More than the projector leaves behind in the worst minute; bounds what one query reads. */
const maxPending = 1_000;

/** Days start on a quarter of an hour in every time zone. */
export const bucketMs = 15 * 60_000;
const bucketsPerDay = 120;

export type Balance = { readonly micro: bigint; readonly jobs: number };

/** The folded part only: cheap, at most a minute old, and not written by each booking. */
export async function projectedBalance(ctx: QueryCtx, account: string): Promise<bigint> {
  const row = await ctx.db
    .query("accounts")
    .withIndex("by_account", (q) => q.eq("account", account))
    .unique();
  return row?.balanceMicro ?? 0n;
}

/** What an account holds now: the projection and what is not folded into it yet. */
export async function balanceOf(ctx: QueryCtx, account: string): Promise<Balance> {
  const row = await ctx.db
    .query("accounts")
    .withIndex("by_account", (q) => q.eq("account", account))
    .unique();
  const pending = await pendingOf(ctx, account);
  return {
    micro: pending.reduce((sum, entry) => sum + entry.micro, row?.balanceMicro ?? 0n),
    jobs: pending.reduce((sum, entry) => sum + entry.jobs, row?.jobs ?? 0),
  };
}

/** What a device earned since a moment, which is rounded down to the quarter of an hour. */
export async function earnedSince(ctx: QueryCtx, deviceId: Id<"devices">, since: number): Promise<bigint> {
  const account = deviceAccount(deviceId);
  const start = Math.floor(since / bucketMs) * bucketMs;
  const buckets = await ctx.db
    .query("earnings")
    .withIndex("by_account", (q) => q.eq("account", account).gte("startAt", start))
    .order("desc")
    .take(bucketsPerDay);
  const pending = await pendingOf(ctx, account);
  return (
    buckets.reduce((sum, bucket) => sum + bucket.micro, 0n) +
    pending.reduce((sum, entry) => (entry.at >= start ? sum + entry.micro : sum), 0n)
  );
}

async function pendingOf(ctx: QueryCtx, account: string) {
  return await ctx.db
    .query("ledgerPending")
    .withIndex("by_account", (q) => q.eq("account", account))
    .take(maxPending);
}
