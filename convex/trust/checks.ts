import { finalEvent } from "@gleaner/queue/validators";
import { v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { internalMutation, type MutationCtx } from "../_generated/server.js";
import { queue } from "../model/queue.ts";
import { askCanarySoon } from "../model/trust/canaries/ask.ts";
import { compareCanariesSoon } from "../model/trust/canaries/compare.ts";
import { judgeReplay } from "../model/trust/judge.ts";
import { modeOf } from "../model/trust/mode.ts";
import { settleHeld } from "../model/trust/pay.ts";
import { chooseNext, dropNext, mostSampled } from "../model/trust/sample.ts";
import { noteStep, runState } from "../model/trust/spending.ts";
import { chooseLeft, sweepChecks } from "../model/trust/sweep.ts";
import { endedJob } from "../model/trust/validators.ts";
import { reply } from "../model/validators/prices.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/**
 * Chooses the answers that are replayed, notes failures, and compares the answers to canaries. Called when jobs were counted. One run of an
 * organization takes a few at a time, one after another, since each changes the sum that the organization has spent on checks.
 */
export const choose = internalMutation({
  args: {
    organizationId: v.id("organizations"),
    /** Set in the steps of a run. A call without it begins a run, unless one goes on. */
    goesOn: v.optional(v.literal(true)),
    /** So many of the next steps take one job each, as an error has ended a step of several. */
    alone: v.optional(v.number()),
    /** Jobs of calls that an earlier version has scheduled. */
    jobs: v.optional(v.array(endedJob)),
    /** Answered jobs of such calls. */
    jobIds: v.optional(v.array(v.string())),
  },
  returns: v.null(),
  handler: async (
    ctx,
    {
      organizationId,
      goesOn = false,
      alone = 0,
      jobIds = [],
      jobs = jobIds.map((jobId) => ({ jobId, round: null })),
    },
  ) => {
    const now = Date.now();
    if (jobs.length > 0) await ctx.db.insert("checkBatches", { organizationId, jobs });
    let nextAlone = 0;
    if (!goesOn) {
      const run = await runState(ctx, organizationId);
      if (run.kind === "goes on") return null;
      if (run.kind === "failed") nextAlone = await afterFailure(ctx, organizationId, aloneIn(run.args));
    } else {
      const step = await tryToChoose(ctx, organizationId, alone);
      if (step === "ended") {
        await noteStep(ctx, organizationId, null, now);
        return null;
      }
      nextAlone = step === "failed" ? await afterFailure(ctx, organizationId, alone) : Math.max(0, alone - 1);
    }
    const next = { organizationId, goesOn: true as const, alone: nextAlone };
    await noteStep(
      ctx,
      organizationId,
      await ctx.scheduler.runAfter(0, internal.trust.checks.choose, next),
      now,
    );
    return null;
  },
});

/** The number in the arguments of a step that has failed. One of an earlier version has none. */
function aloneIn(args: unknown): number {
  const alone = typeof args === "object" && args !== null && "alone" in args ? args.alone : 0;
  return typeof alone === "number" ? alone : 0;
}

/**
 * A job by which a step failed would end each further one. So nothing is chosen for a job that failed alone. A device may cause such errors,
 * so no other jobs are dropped with it: they are taken one by one.
 * @returns how many of the next steps take one job each.
 */
async function afterFailure(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  alone: number,
): Promise<number> {
  if (alone === 0) return mostSampled;
  await compareCanariesSoon(ctx, await dropNext(ctx, organizationId));
  return alone - 1;
}

/** An error undoes the step only, so that the run goes on at once. */
async function tryToChoose(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  alone: number,
): Promise<"done" | "ended" | "failed"> {
  const most = alone > 0 ? 1 : mostSampled;
  try {
    const isDone = await ctx.runMutation(internal.trust.checks.chooseSome, { organizationId, most });
    return isDone ? "done" : "ended";
  } catch (thrown) {
    console.error("The checks of ended jobs could not be chosen:", thrown);
    return "failed";
  }
}

/** One step of a run. @returns whether there were jobs. */
export const chooseSome = internalMutation({
  args: { organizationId: v.id("organizations"), most: v.number() },
  returns: v.boolean(),
  handler: async (ctx, { organizationId, most }) => {
    const now = Date.now();
    const some = await chooseNext(ctx, organizationId, most, now);
    if (some === null) return false;
    await compareCanariesSoon(ctx, some);
    await askCanarySoon(ctx, organizationId, now);
    return true;
  },
});

/** Judges an answer by its replay. The queue calls it in the transaction that ends the replay's job. */
export const onFinal = internalMutation({
  args: finalEvent.fields,
  returns: v.union(reply, v.null()),
  handler: async (ctx, event) => {
    if (event.outcome === "failed" || event.outcome === "expired") {
      await ctx.scheduler.runAfter(0, internal.trust.checks.discard, {
        scope: event.scope,
        jobId: event.jobId,
      });
    }
    return await judgeReplay(ctx, event, Date.now());
  },
});

/** Deletes a replay that failed, so that nobody has to retry or discard it. */
export const discard = internalMutation({
  args: { scope: v.string(), jobId: v.string() },
  returns: v.null(),
  handler: async (ctx, { scope, jobId }) => {
    await queue.deadLetters.discard(ctx, scope, jobId, "system");
    return null;
  },
});

/** Releases or refuses more held pay of a device with a model. */
export const settleHeldOf = internalMutation({
  args: {
    deviceId: v.id("devices"),
    modelId: v.string(),
    how: literals("released", "refused"),
  },
  returns: v.null(),
  handler: async (ctx, { how, ...which }) => {
    await settleHeld(ctx, which, how, Date.now());
    return null;
  },
});

/** Releases held pay of an organization, unless it acts on checks again by now. */
export const releaseAll = internalMutation({
  args: { organizationId: v.id("organizations") },
  returns: v.null(),
  handler: async (ctx, which) => {
    if ((await modeOf(ctx, which.organizationId)) !== "act")
      await settleHeld(ctx, which, "released", Date.now());
    return null;
  },
});

/** Ends what waited too long, deletes what is old, and begins the runs that an error has ended. */
export const sweep = internalMutation({
  args: {
    /** Set in the further pages of a sweep. They begin no runs but those behind `after`. */
    goesOn: v.optional(v.literal(true)),
    after: v.optional(v.id("organizations")),
  },
  returns: v.null(),
  handler: async (ctx, { goesOn = false, after }) => {
    const last = goesOn && after === undefined ? null : await chooseLeft(ctx, after ?? null);
    const hasMore = await sweepChecks(ctx, Date.now());
    if (!hasMore && last === null) return null;
    const next = last === null ? {} : { after: last };
    await ctx.scheduler.runAfter(0, internal.trust.checks.sweep, { goesOn: true as const, ...next });
    return null;
  },
});
