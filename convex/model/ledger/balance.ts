import { addToLots, type Lot } from "../../../app/credits/lots.ts";
import { monthOf } from "../../../app/usage/months.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { deviceAccount } from "./transfer.ts";

/** Bounds the entries that one query reads. The projector never leaves so many. */
const maxPending = 1_000;

/** Earnings are added up per quarter of an hour, because days start on one in every time zone. */
export const bucketMs = 15 * 60_000;
const bucketsPerDay = 120;

/** The balance of a device or a wallet by the months in which it was earned. What an earlier version added up is of the row's first month. */
export function lotsOf(row: Doc<"accounts"> | null): readonly Lot[] {
  if (row === null) return [];
  const { lots, balanceMicro, _creationTime } = row;
  return lots ?? addToLots([], monthOf(_creationTime), balanceMicro);
}

/** The projection of an account. Null: nothing was ever added. */
export async function accountRow(ctx: QueryCtx, account: string): Promise<Doc<"accounts"> | null> {
  return await ctx.db
    .query("accounts")
    .withIndex("by_account", (q) => q.eq("account", account))
    .unique();
}

export type Balance = { readonly micro: bigint; readonly jobs: number };

/** An account's balance now: the projection plus the entries that are still pending. */
export async function balanceOf(ctx: QueryCtx, account: string): Promise<Balance> {
  const row = await accountRow(ctx, account);
  const pending = await pendingOf(ctx, account);
  return {
    micro: pending.reduce((sum, entry) => sum + entry.micro, row?.balanceMicro ?? 0n),
    jobs: pending.reduce((sum, entry) => sum + entry.jobs, row?.jobs ?? 0),
  };
}

/** All that a device has earned until now, also what its owner has moved elsewhere. */
export async function earnedOf(ctx: QueryCtx, deviceId: Id<"devices">): Promise<Balance> {
  const account = deviceAccount(deviceId);
  const [{ micro, jobs }, row] = await Promise.all([balanceOf(ctx, account), accountRow(ctx, account)]);
  return { micro: micro + (row?.movedMicro ?? 0n), jobs };
}

/** A device's earnings since a moment, which is rounded down to the quarter of an hour. */
export async function earnedSince(ctx: QueryCtx, deviceId: Id<"devices">, since: number): Promise<Balance> {
  const account = deviceAccount(deviceId);
  const start = Math.floor(since / bucketMs) * bucketMs;
  const buckets = await ctx.db
    .query("earnings")
    .withIndex("by_account", (q) => q.eq("account", account).gte("startAt", start))
    .order("desc")
    .take(bucketsPerDay);
  const pending = (await pendingOf(ctx, account)).filter(({ at }) => at >= start);
  const all = [...buckets, ...pending];
  return {
    micro: all.reduce((sum, { micro }) => sum + micro, 0n),
    jobs: all.reduce((sum, { jobs }) => sum + jobs, 0),
  };
}

/** Micro-credits that a device earned in a time, whose ends are rounded down to quarters of an hour. */
export async function earnedBetween(
  ctx: QueryCtx,
  deviceId: Id<"devices">,
  from: number,
  to: number,
): Promise<bigint> {
  const account = deviceAccount(deviceId);
  const [start, end] = [from, to].map((at) => Math.floor(at / bucketMs) * bucketMs) as [number, number];
  const buckets = await ctx.db
    .query("earnings")
    .withIndex("by_account", (q) => q.eq("account", account).gte("startAt", start).lt("startAt", end))
    .take(bucketsPerDay);
  return buckets.reduce((sum, bucket) => sum + bucket.micro, 0n);
}

async function pendingOf(ctx: QueryCtx, account: string) {
  return await ctx.db
    .query("ledgerPending")
    .withIndex("by_account", (q) => q.eq("account", account))
    .take(maxPending);
}
