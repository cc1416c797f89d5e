import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { deleteBefore } from "../archives/oldRows.ts";
import { queue } from "../queue.ts";
import { leaveUnjudged } from "./judge.ts";
import { longestWaitMs } from "./replays.ts";

const dayMs = 24 * 3_600_000;

const replaysKeptMs = 90 * dayMs;
const casesKeptMs = 400 * dayMs;
const perCall = 50;
/** Organizations of one call. Each takes one read and one scheduled call. */
const mostOrganizations = 500;

/**
 * Cancels replays that waited too long, and deletes old rows.
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
  const deleted = [
    await deleteBefore(ctx, "replays", now - replaysKeptMs, perCall),
    await deleteBefore(ctx, "canaries", now - replaysKeptMs, perCall),
    await deleteBefore(ctx, "trustCases", now - casesKeptMs, perCall),
  ];
  return [waiting.length, ...deleted].includes(perCall);
}

/**
 * Has checks chosen for ended jobs that were left, because the run that went through them has failed and no job was counted since. Each
 * organization is found by one read, however many jobs it has left.
 * @param after begin behind this organization.
 * @returns the last organization of this call; null: there are no more.
 */
export async function chooseLeft(
  ctx: MutationCtx,
  after: Id<"organizations"> | null,
  most: number = mostOrganizations,
): Promise<Id<"organizations"> | null> {
  let last = after;
  for (let begun = 0; begun < most; begun += 1) {
    const behind = last;
    const batch = await ctx.db
      .query("checkBatches")
      .withIndex("by_organization", (q) => (behind === null ? q : q.gt("organizationId", behind)))
      .first();
    if (batch === null) return null;
    last = batch.organizationId;
    await ctx.scheduler.runAfter(0, internal.trust.checks.choose, { organizationId: last });
  }
  return last;
}
