import { type Forecast, forecastOf } from "../../../app/usage/forecast.ts";
import { type DaySum, monthOf } from "../../../app/usage/months.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";

/** 90 days touch four months. */
const mostMonths = 4;

/** The days of a key, a member, a team, a device or the organization since a moment. Reads at most four rows. */
export async function daysSince(ctx: QueryCtx, subject: string, since: number): Promise<DaySum[]> {
  const rows = await ctx.db
    .query("usageMonths")
    .withIndex("by_subject", (q) => q.eq("subject", subject).gte("startAt", monthOf(since)))
    .take(mostMonths);
  return rows.flatMap(({ days }) => days).filter(({ startAt }) => startAt >= since);
}

/** Rows are kept for 13 months, besides the current one. */
const mostKeptMonths = 15;

/** All days of a subject that are kept, in order: some 13 months. */
export async function keptDays(ctx: QueryCtx, subject: string): Promise<DaySum[]> {
  const newest = await ctx.db
    .query("usageMonths")
    .withIndex("by_subject", (q) => q.eq("subject", subject))
    .order("desc")
    .take(mostKeptMonths);
  return newest.reverse().flatMap(({ days }) => days);
}

/** Micro-credits that a subject has spent this month, a minute or two ago. */
export async function spentThisMonth(ctx: QueryCtx, subject: string, now: number): Promise<bigint> {
  const days = await daysSince(ctx, subject, monthOf(now));
  return days.reduce((sum, { micro }) => sum + micro, 0n);
}

/** The part of what a key has spent this month that its jobs of this month cost, and not those that were submitted earlier. */
export async function spentSubmittedThisMonth(
  ctx: QueryCtx,
  keyId: Id<"apiKeys">,
  now: number,
): Promise<bigint> {
  const row = await ctx.db
    .query("usageMonths")
    .withIndex("by_subject", (q) => q.eq("subject", keyId).eq("startAt", monthOf(now)))
    .unique();
  if (row === null) return 0n;
  return row.days.reduce((sum, { micro }) => sum + micro, -(row.earlierMicro ?? 0n));
}

/** A subject's spending of this month, so far and as forecast for its end. Reads at most two rows. */
export async function forecastFor(ctx: QueryCtx, subject: string, now: number): Promise<Forecast> {
  return forecastOf(await daysSince(ctx, subject, monthOf(now, -1)), now);
}
