import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { jobView } from "../shared/validators.ts";
import { boundedNumber } from "./model/bounds.ts";
import { mutation, query } from "./model/builders.ts";
import { discard as discardJob } from "./model/end/purge.ts";
import { retryDeadLetter, retryDeadLetters } from "./model/end/retry.ts";
import { record } from "./model/events.ts";
import { listDead } from "./model/jobs/list.ts";
import { loadOwned } from "./model/load.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const ofJob = { scope: v.string(), jobId: v.string(), actor: v.optional(v.string()) };

/** Failed and expired jobs that can be retried, newest submission first. A page has at most 100 and may be short. */
export const list = query({
  args: { scope: v.string(), kind: v.optional(v.string()), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(jobView),
  handler: async (ctx, { paginationOpts, ...filter }) => await listDead(ctx, filter, paginationOpts),
});

/**
 * Retries a dead letter with all its retries, until `deadlineAt` (ms epoch) if there is one. `gone`: its payload was deleted.
 * Refuses: not_found, invalid.
 */
export const retry = mutation({
  args: { ...ofJob, deadlineAt: v.optional(v.number()) },
  returns: v.union(
    v.object({ kind: v.literal("ready") }),
    v.object({ kind: v.literal("gone") }),
    v.object({ kind: v.literal("not-dead") }),
  ),
  handler: async (ctx, { scope, jobId, actor, deadlineAt }) => {
    const now = Date.now();
    if (deadlineAt !== undefined) boundedNumber(deadlineAt, "deadlineAt", 0, Number.MAX_SAFE_INTEGER);
    const outcome = await retryDeadLetter(ctx, await loadOwned(ctx, "jobs", scope, jobId), now, {
      deadlineAt,
    });
    if (outcome.kind === "ready") {
      await record(ctx, { scope, at: now, actor, action: "deadLetter.retry", subject: jobId });
    }
    return outcome;
  },
});

/** Retries all dead letters, or those of a kind: the first of them at once (`started`), the others soon after. */
export const retryAll = mutation({
  args: { scope: v.string(), kind: v.optional(v.string()), actor: v.optional(v.string()) },
  returns: v.object({ started: v.number(), more: v.boolean() }),
  handler: async (ctx, { scope, kind, actor }) => {
    const now = Date.now();
    const which = { scope, kind: kind ?? null, status: "failed" as const, cursor: null, before: now };
    const outcome = await retryDeadLetters(ctx, which);
    await record(ctx, { scope, at: now, actor, action: "deadLetter.retryAll", subject: kind ?? "" });
    return outcome;
  },
});

/** Deletes a dead letter's payload now. Its record stays. Refuses: not_found. */
export const discard = mutation({
  args: ofJob,
  returns: v.union(v.object({ kind: v.literal("discarded") }), v.object({ kind: v.literal("not-dead") })),
  handler: async (ctx, { scope, jobId, actor }) => {
    const outcome = await discardJob(ctx, await loadOwned(ctx, "jobs", scope, jobId));
    if (outcome.kind === "discarded") {
      await record(ctx, { scope, at: Date.now(), actor, action: "deadLetter.discard", subject: jobId });
    }
    return outcome;
  },
});
