import { type ObjectType, type PropertyValidators, v } from "convex/values";
import { type Doc, type Id, internalMutation, type MutationCtx } from "./builders.ts";
import { foldBatch as foldEnds } from "./model/batches/fold.ts";
import { settleDependents as settleAll, settleOne } from "./model/dependencies/settle.ts";
import { reclaimUnstarted } from "./model/dispatch/reclaim.ts";
import { cancel, cancelMany as cancelJobs } from "./model/end/cancel.ts";
import { expire as expireJob, expireOne } from "./model/end/expire.ts";
import { forgetOld, forgetPiece } from "./model/end/forget.ts";
import { purgePiece } from "./model/end/purge.ts";
import { retryDeadLetter, retryDeadLetters } from "./model/end/retry.ts";
import { type Step, step as oneStep } from "./model/jobs/step.ts";
import { wakeDue as wakeJobs } from "./model/jobs/waiting.ts";
import { emptyRings as deleteRings, forgetLanes as deleteUnused } from "./model/lanes/forgetLanes.ts";
import { expireLease, markLost } from "./model/leases/expireLease.ts";
import { healSweeps as replaceLostSweeps, sweepLeases as sweepScope } from "./model/leases/sweep.ts";
import { admit as giveTurns } from "./model/limits/admit.ts";
import { fireRecurring as fire } from "./model/recurring/clock.ts";
import { maintenance } from "./model/references.ts";
import { addToLane } from "./model/rings/addToLane.ts";
import { resize as fitSlots } from "./model/rings/resize.ts";
import { deleteChunks as deleteText, endWatching as endWatches } from "./model/streams/follow.ts";

// The component's scheduled functions; model/references.ts has their names. Calls may be pending in stored data, so
// names and arguments stay as they are.

/** A scheduled function. It returns nothing. */
function task<Args extends PropertyValidators>(
  args: Args,
  run: (ctx: MutationCtx, args: ObjectType<Args>, now: number) => Promise<unknown>,
) {
  const validators: PropertyValidators = args;
  return internalMutation({
    args: validators,
    returns: v.null(),
    handler: async (ctx, given) => {
      await run(ctx, given as ObjectType<Args>, Date.now());
      return null;
    },
  });
}

/** Checks a scope's leases. A worker's first call schedules it. */
export const sweepLeases = task({ scope: v.string(), due: v.number(), graced: v.boolean() }, sweepScope);

export const lapse = task(
  { workerId: v.id("workers"), lastSeenAt: v.number(), failures: v.optional(v.number()) },
  expireLease,
);

/** Scheduled by a submission that hands jobs over. */
export const recall = task(
  { scope: v.string(), due: v.number(), graced: v.optional(v.boolean()) },
  reclaimUnstarted,
);

/** Called with the count of each minute. */
export const healSweeps = task({}, async (ctx, _, now) => await replaceLostSweeps(ctx, now));

export const resize = task({ laneId: v.id("lanes") }, async (ctx, { laneId }) => await fitSlots(ctx, laneId));

export const enlist = task(
  { laneId: v.id("lanes"), after: v.number() },
  async (ctx, { laneId, after }) => await addToLane(ctx, laneId, after),
);

export const admit = task(
  { scope: v.string(), of: v.union(v.literal("requester"), v.literal("key")), name: v.string() },
  giveTurns,
);

export const settleDependents = task(
  {
    jobId: v.id("jobs"),
    refused: v.optional(v.array(v.id("dependencies"))),
    failures: v.optional(v.number()),
  },
  async (ctx, { jobId, refused = [], failures = 0 }, now) =>
    await settleAll(ctx, jobId, { refused, failures }, now),
);

export const foldBatch = task({ batchId: v.id("batches"), failures: v.optional(v.number()) }, foldEnds);

/** Called by the crons component, at the times of each recurring job's schedule. */
export const fireRecurring = task(
  { recurringId: v.id("recurring") },
  async (ctx, { recurringId }, now) => await fire(ctx, recurringId, now),
);

export const wakeDue = task(
  { later: v.optional(v.array(v.number())) },
  async (ctx, { later = [] }, now) => await wakeJobs(ctx, later, now),
);

export const expire = task(
  { jobId: v.id("jobs"), at: v.number(), failures: v.optional(v.number()) },
  expireJob,
);

/** Called by the other functions, once for each job. */
export const step = task({ step: oneStep }, async (ctx, { step: one }, now) => await takeStep(ctx, one, now));

async function takeStep(ctx: MutationCtx, one: Step, now: number): Promise<void> {
  switch (one.kind) {
    case "cancel":
      await withJob(ctx, one.jobId, async (job) => await cancel(ctx, job, now));
      return;
    case "expire":
      await withJob(ctx, one.jobId, async (job) => {
        await expireOne(ctx, job, now);
      });
      return;
    case "revive":
      await withJob(ctx, one.jobId, async (job) => await retryDeadLetter(ctx, job, now));
      return;
    case "lose": {
      const attempt = await ctx.db.get("attempts", one.attemptId);
      if (attempt?.open === true) await markLost(ctx, attempt, now);
      return;
    }
    case "settle": {
      const row = await ctx.db.get("dependencies", one.dependencyId);
      if (row !== null) await settleOne(ctx, row, now);
    }
  }
}

async function withJob(
  ctx: MutationCtx,
  jobId: Id<"jobs">,
  act: (job: Doc<"jobs">) => Promise<unknown>,
): Promise<void> {
  const job = await ctx.db.get("jobs", jobId);
  if (job !== null) await act(job);
}

export const endWatching = task(
  { jobIds: v.array(v.id("jobs")) },
  async (ctx, { jobIds }, now) => await endWatches(ctx, jobIds, now),
);

export const deleteChunks = task(
  { jobId: v.id("jobs") },
  async (ctx, { jobId }) => await deleteText(ctx, jobId),
);

export const cancelMany = task(
  {
    scope: v.string(),
    by: v.union(v.literal("requester"), v.literal("key"), v.literal("batch"), v.literal("lane")),
    name: v.string(),
    running: v.boolean(),
    before: v.optional(v.number()),
    refused: v.optional(v.array(v.id("jobs"))),
    failures: v.optional(v.number()),
  },
  async (ctx, { refused = [], failures = 0, before, ...which }, now) =>
    await cancelJobs(ctx, { ...which, before: before ?? now }, { refused, failures }),
);

export const reviveMany = task(
  {
    scope: v.string(),
    kind: v.union(v.string(), v.null()),
    status: v.union(v.literal("failed"), v.literal("expired")),
    cursor: v.union(v.string(), v.null()),
    before: v.number(),
  },
  retryDeadLetters,
);

/** Deletes expired payloads and results, one piece at a time. */
export const purge = task({}, async (ctx, _, now) => {
  if (await purgePiece(ctx, now)) await ctx.scheduler.runAfter(0, maintenance.purge, {});
});

/** Deletes expired records, one piece at a time. */
export const forget = task({}, async (ctx, _, now) => {
  const [jobs, around] = [await forgetPiece(ctx, now), await forgetOld(ctx, now)];
  if (jobs || around) await ctx.scheduler.runAfter(0, maintenance.forget, {});
});

/** Deletes unused lanes, one piece at a time. */
export const forgetLanes = task(
  { cursor: v.union(v.string(), v.null()) },
  async (ctx, { cursor }, now) => await deleteUnused(ctx, cursor, now),
);

export const emptyRings = task(
  { laneId: v.id("lanes") },
  async (ctx, { laneId }) => await deleteRings(ctx, laneId),
);
