import { type ObjectType, type PropertyValidators, v } from "convex/values";
import * as overdue from "./model/attempt/overdue.ts";
import * as fold from "./model/batches/fold.ts";
import { type Doc, type Id, internalMutation, type MutationCtx } from "./model/builders.ts";
import * as settle from "./model/dependencies/settle.ts";
import * as reclaim from "./model/dispatch/reclaim.ts";
import * as cancellation from "./model/end/cancel.ts";
import * as expiry from "./model/end/expire.ts";
import { forgetOld, forgetPiece } from "./model/end/forget.ts";
import { purgePiece } from "./model/end/purge.ts";
import { retryDeadLetter, retryDeadLetters } from "./model/end/retry.ts";
import * as waits from "./model/jobs/waiting.ts";
import * as lanes from "./model/lanes/forgetLanes.ts";
import * as leases from "./model/leases/expireLease.ts";
import * as sweeps from "./model/leases/sweep.ts";
import * as limits from "./model/limits/admit.ts";
import * as clock from "./model/recurring/clock.ts";
import type { Step } from "./model/references.ts";
import { maintenance, taskArgs } from "./model/references.ts";
import * as newLane from "./model/rings/addToLane.ts";
import * as rings from "./model/rings/resize.ts";
import * as stragglers from "./model/stragglers/check.ts";
import * as watches from "./model/streams/follow.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

// The component's scheduled functions. model/references.ts documents them and has their arguments.

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

export const sweepLeases = task(taskArgs.sweepLeases, async (ctx, sweep, now) => {
  await overdue.timeOutOverdue(ctx, sweep);
  await sweeps.sweepLeases(ctx, sweep, now);
});

export const expireLease = task(taskArgs.expireLease, leases.expireLease);

export const reclaimUnstarted = task(taskArgs.reclaimUnstarted, reclaim.reclaimUnstarted);

export const checkStragglers = task(taskArgs.checkStragglers, stragglers.checkStragglers);

export const healSweeps = task(taskArgs.healSweeps, async (ctx, _, now) => await sweeps.healSweeps(ctx, now));

export const resize = task(taskArgs.resize, async (ctx, { laneId }) => await rings.resize(ctx, laneId));

export const addToLane = task(
  taskArgs.addToLane,
  async (ctx, { laneId, after }) => await newLane.addToLane(ctx, laneId, after),
);

export const admit = task(taskArgs.admit, limits.admit);

export const settleDependents = task(
  taskArgs.settleDependents,
  async (ctx, { jobId, refused = [], failures = 0 }, now) =>
    await settle.settleDependents(ctx, jobId, { refused, failures }, now),
);

export const foldBatch = task(taskArgs.foldBatch, fold.foldBatch);

export const fireRecurring = task(
  taskArgs.fireRecurring,
  async (ctx, { recurringId }, now) => await clock.fireRecurring(ctx, recurringId, now),
);

export const wakeDue = task(
  taskArgs.wakeDue,
  async (ctx, wakeUp, now) => await waits.wakeDue(ctx, wakeUp, now),
);

export const expire = task(taskArgs.expire, expiry.expire);

export const expireOverdue = task(taskArgs.expireOverdue, async (ctx, _, now) => {
  if (await expiry.expirePiece(ctx, now)) await ctx.scheduler.runAfter(0, maintenance.expireOverdue, {});
});

/** Called by the other functions, once for each job. */
export const step = task(taskArgs.step, async (ctx, { step: one }, now) => await takeStep(ctx, one, now));

async function takeStep(ctx: MutationCtx, one: Step, now: number): Promise<void> {
  switch (one.kind) {
    case "cancel":
      await withJob(ctx, one.jobId, async (job) => await cancellation.cancel(ctx, job, now, one.error));
      return;
    case "expire":
      await withJob(ctx, one.jobId, async (job) => {
        await expiry.expireOne(ctx, job, now);
      });
      return;
    case "retry":
      await withJob(ctx, one.jobId, async (job) => await retryDeadLetter(ctx, job, now));
      return;
    case "markLost": {
      const attempt = await ctx.db.get("attempts", one.attemptId);
      if (attempt?.open === true) await leases.markLost(ctx, attempt, now);
      return;
    }
    case "timeOut": {
      const attempt = await ctx.db.get("attempts", one.attemptId);
      if (attempt?.open === true) await overdue.timeOut(ctx, attempt, now);
      return;
    }
    case "settle": {
      const row = await ctx.db.get("dependencies", one.dependencyId);
      if (row !== null) await settle.settleOne(ctx, row, now);
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
  taskArgs.endWatching,
  async (ctx, { jobIds }, now) => await watches.endWatching(ctx, jobIds, now),
);

export const deleteChunks = task(
  taskArgs.deleteChunks,
  async (ctx, { jobId }) => await watches.deleteChunks(ctx, jobId),
);

export const cancelMany = task(
  taskArgs.cancelMany,
  async (ctx, { refused = [], failures = 0, jobIds = [], before, ...which }, now) =>
    await cancellation.cancelMany(ctx, { ...which, before: before ?? now }, { refused, failures, jobIds }),
);

export const retryMany = task(taskArgs.retryMany, retryDeadLetters);

export const purge = task(taskArgs.purge, async (ctx, _, now) => {
  if (await purgePiece(ctx, now)) await ctx.scheduler.runAfter(0, maintenance.purge, {});
});

export const forget = task(taskArgs.forget, async (ctx, _, now) => {
  const [jobs, around] = [await forgetPiece(ctx, now), await forgetOld(ctx, now)];
  if (jobs || around) await ctx.scheduler.runAfter(0, maintenance.forget, {});
});

export const forgetLanes = task(
  taskArgs.forgetLanes,
  async (ctx, { cursor }, now) => await lanes.forgetLanes(ctx, cursor, now),
);

export const emptyRings = task(
  taskArgs.emptyRings,
  async (ctx, { laneId }) => await lanes.emptyRings(ctx, laneId),
);
