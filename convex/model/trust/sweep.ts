import { internal } from "../../_generated/api.js";
import type { MutationCtx } from "../../_generated/server.js";
import { deleteBefore } from "../archives/oldRows.ts";
import { queue } from "../queue.ts";
import { leaveUnjudged } from "./judge.ts";
import { longestWaitMs } from "./replays.ts";

const dayMs = 24 * 3_600_000;

const replaysKeptMs = 90 * dayMs;
const casesKeptMs = 400 * dayMs;
const perCall = 50;

/**
 * Cancels replays that waited too long, and deletes old rows. Has checks chosen for ended jobs that were left, because the run that went
 * through them has failed and no job was counted since.
 * @returns whether there may be more.
 */
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
  const left = await ctx.db.query("checkBatches").take(perCall);
  for (const organizationId of new Set(left.map((batch) => batch.organizationId)))
    await ctx.scheduler.runAfter(0, internal.trust.checks.choose, { organizationId });
  const deleted = [
    await deleteBefore(ctx, "replays", now - replaysKeptMs, perCall),
    await deleteBefore(ctx, "canaries", now - replaysKeptMs, perCall),
    await deleteBefore(ctx, "trustCases", now - casesKeptMs, perCall),
  ];
  return [waiting.length, ...deleted].includes(perCall);
}
