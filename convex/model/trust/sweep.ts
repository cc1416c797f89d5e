import type { MutationCtx } from "../../_generated/server.js";
import { queue } from "../queue.ts";
import { leaveUnjudged } from "./judge.ts";
import { releaseOld } from "./pay.ts";
import { longestWaitMs } from "./replays.ts";

const dayMs = 24 * 3_600_000;

/** Pay that no check released, because there was none, is released. */
const longestHeldMs = 7 * dayMs;
const replaysKeptMs = 90 * dayMs;
const casesKeptMs = 400 * dayMs;
const perCall = 50;

/** Cancels replays that waited too long, releases pay that was held too long, and deletes what is old. @returns whether there may be more. */
export async function sweepChecks(ctx: MutationCtx, now: number): Promise<boolean> {
  const waiting = await ctx.db
    .query("replays")
    .withIndex("by_state", (q) => q.eq("state", "waiting").lt("_creationTime", now - longestWaitMs))
    .take(perCall);
  for (const replay of waiting) {
    const { organizationId, jobId } = replay;
    const { kind } = await queue.cancel(ctx, organizationId, jobId);
    // The end of a job is told once. It was lost if the job is gone.
    if (kind === "not-found") await leaveUnjudged(ctx, replay, now);
  }
  const replays = await ctx.db
    .query("replays")
    .withIndex("by_creation_time", (q) => q.lt("_creationTime", now - replaysKeptMs))
    .take(perCall);
  for (const { _id } of replays) await ctx.db.delete("replays", _id);
  const cases = await ctx.db
    .query("trustCases")
    .withIndex("by_creation_time", (q) => q.lt("_creationTime", now - casesKeptMs))
    .take(perCall);
  for (const { _id } of cases) await ctx.db.delete("trustCases", _id);
  const hasMorePay = await releaseOld(ctx, now - longestHeldMs, now);
  return hasMorePay || [waiting, replays, cases].some((rows) => rows.length === perCall);
}
