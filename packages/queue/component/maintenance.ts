import { v } from "convex/values";
import { internalMutation } from "./builders.ts";
import { foldBatch as countEnds } from "./model/batches/fold.ts";
import { settleDependents as settle } from "./model/dependencies/settle.ts";
import { recall as recallHanded } from "./model/dispatch/reclaim.ts";
import { cancelMany as cancelJobs } from "./model/end/cancelMany.ts";
import { expire as expireJob } from "./model/end/expire.ts";
import { forgetAround, forgetPiece } from "./model/end/forget.ts";
import { purgePiece } from "./model/end/purge.ts";
import { reviveMany as reviveJobs } from "./model/end/retryMany.ts";
import { takeStep } from "./model/jobs/takeStep.ts";
import { wakeDue as wakeJobs } from "./model/jobs/wakeDue.ts";
import { emptyRings as deleteRings, forgetLanes as deleteUnused } from "./model/lanes/forgetLanes.ts";
import { healSweeps as healBroken } from "./model/leases/arm.ts";
import { lapse as lapseWorker } from "./model/leases/expireLease.ts";
import { sweepLeases as sweepScope } from "./model/leases/sweep.ts";
import { admit as giveTurns } from "./model/limits/admit.ts";
import { fireRecurring as fire } from "./model/recurring/fire.ts";
import { maintenance } from "./model/references.ts";
import { enlist as enlistAt } from "./model/rings/addToLane.ts";
import { resize as fitSlots } from "./model/rings/resize.ts";
import { deleteChunks as deleteText, endWatching as endTerms } from "./model/streams/follow.ts";

/** The component's scheduled work: each entry hands over to the model, and model/references.ts names them. */

/** Looks after a scope's leases; armed by a worker's hello. */
export const sweepLeases = internalMutation({
  args: { scope: v.string(), due: v.number(), graced: v.boolean() },
  returns: v.null(),
  handler: async (ctx, sweep) => {
    await sweepScope(ctx, sweep, Date.now());
    return null;
  },
});

export const lapse = internalMutation({
  args: { workerId: v.id("workers"), lastSeenAt: v.number(), failures: v.optional(v.number()) },
  returns: v.null(),
  handler: async (ctx, silent) => {
    await lapseWorker(ctx, silent, Date.now());
    return null;
  },
});

/** Armed by a submission that hands over. */
export const recall = internalMutation({
  args: { scope: v.string(), due: v.number(), graced: v.optional(v.boolean()) },
  returns: v.null(),
  handler: async (ctx, which) => {
    await recallHanded(ctx, which, Date.now());
    return null;
  },
});

/** Called with the minute's count. */
export const healSweeps = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    await healBroken(ctx, Date.now());
    return null;
  },
});

export const resize = internalMutation({
  args: { laneId: v.id("lanes") },
  returns: v.null(),
  handler: async (ctx, { laneId }) => {
    await fitSlots(ctx, laneId);
    return null;
  },
});

export const enlist = internalMutation({
  args: { laneId: v.id("lanes"), after: v.number() },
  returns: v.null(),
  handler: async (ctx, { laneId, after }) => {
    await enlistAt(ctx, laneId, after);
    return null;
  },
});

export const admit = internalMutation({
  args: { scope: v.string(), of: v.union(v.literal("requester"), v.literal("key")), name: v.string() },
  returns: v.null(),
  handler: async (ctx, limited) => {
    await giveTurns(ctx, limited, Date.now());
    return null;
  },
});

export const settleDependents = internalMutation({
  args: {
    jobId: v.id("jobs"),
    refused: v.optional(v.array(v.id("dependencies"))),
    failures: v.optional(v.number()),
  },
  returns: v.null(),
  handler: async (ctx, { jobId, refused = [], failures = 0 }) => {
    await settle(ctx, jobId, { refused, failures }, Date.now());
    return null;
  },
});

export const foldBatch = internalMutation({
  args: { batchId: v.id("batches"), failures: v.optional(v.number()) },
  returns: v.null(),
  handler: async (ctx, fold) => {
    await countEnds(ctx, fold, Date.now());
    return null;
  },
});

/** Called by the crons component, by each recurring job's schedule. */
export const fireRecurring = internalMutation({
  args: { recurringId: v.id("recurring") },
  returns: v.null(),
  handler: async (ctx, { recurringId }) => {
    await fire(ctx, recurringId, Date.now());
    return null;
  },
});

export const wakeDue = internalMutation({
  args: { later: v.optional(v.array(v.number())) },
  returns: v.null(),
  handler: async (ctx, { later = [] }) => {
    await wakeJobs(ctx, later, Date.now());
    return null;
  },
});

export const expire = internalMutation({
  args: { jobId: v.id("jobs"), at: v.number(), failures: v.optional(v.number()) },
  returns: v.null(),
  handler: async (ctx, job) => {
    await expireJob(ctx, job, Date.now());
    return null;
  },
});

/** Called by the others, for one job each. */
export const step = internalMutation({
  args: {
    step: v.union(
      v.object({ kind: v.literal("cancel"), jobId: v.id("jobs") }),
      v.object({ kind: v.literal("expire"), jobId: v.id("jobs") }),
      v.object({ kind: v.literal("revive"), jobId: v.id("jobs") }),
      v.object({ kind: v.literal("lose"), attemptId: v.id("attempts") }),
      v.object({ kind: v.literal("settle"), dependencyId: v.id("dependencies") }),
    ),
  },
  returns: v.null(),
  handler: async (ctx, { step: one }) => {
    await takeStep(ctx, one, Date.now());
    return null;
  },
});

export const endWatching = internalMutation({
  args: { jobIds: v.array(v.id("jobs")) },
  returns: v.null(),
  handler: async (ctx, { jobIds }) => {
    await endTerms(ctx, jobIds, Date.now());
    return null;
  },
});

export const deleteChunks = internalMutation({
  args: { jobId: v.id("jobs") },
  returns: v.null(),
  handler: async (ctx, { jobId }) => {
    await deleteText(ctx, jobId);
    return null;
  },
});

export const cancelMany = internalMutation({
  args: {
    scope: v.string(),
    by: v.union(v.literal("requester"), v.literal("key"), v.literal("batch"), v.literal("lane")),
    name: v.string(),
    running: v.boolean(),
    before: v.optional(v.number()),
    refused: v.optional(v.array(v.id("jobs"))),
    failures: v.optional(v.number()),
  },
  returns: v.null(),
  handler: async (ctx, { refused = [], failures = 0, before = Date.now(), ...which }) => {
    await cancelJobs(ctx, { ...which, before }, { refused, failures });
    return null;
  },
});

export const reviveMany = internalMutation({
  args: {
    scope: v.string(),
    kind: v.union(v.string(), v.null()),
    status: v.union(v.literal("failed"), v.literal("expired")),
    cursor: v.union(v.string(), v.null()),
    before: v.number(),
  },
  returns: v.null(),
  handler: async (ctx, which) => {
    await reviveJobs(ctx, which);
    return null;
  },
});

/** Deletes payloads and results whose time has come, a piece at a time. */
export const purge = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    if (await purgePiece(ctx, Date.now())) await ctx.scheduler.runAfter(0, maintenance.purge, {});
    return null;
  },
});

/** Deletes records whose time has come, a piece at a time. */
export const forget = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const [jobs, around] = [await forgetPiece(ctx, Date.now()), await forgetAround(ctx, Date.now())];
    if (jobs || around) await ctx.scheduler.runAfter(0, maintenance.forget, {});
    return null;
  },
});

/** Deletes unused lanes, a piece at a time. */
export const forgetLanes = internalMutation({
  args: { cursor: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { cursor }) => {
    await deleteUnused(ctx, cursor, Date.now());
    return null;
  },
});

export const emptyRings = internalMutation({
  args: { laneId: v.id("lanes") },
  returns: v.null(),
  handler: async (ctx, { laneId }) => {
    await deleteRings(ctx, laneId);
    return null;
  },
});
