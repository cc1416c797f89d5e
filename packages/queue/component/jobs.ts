import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import {
  anything,
  attemptView,
  canceledBy,
  jobError,
  jobHistory,
  jobSpec,
  jobStatus,
  jobView,
  priority,
  submitOutcome,
} from "../shared/validators.ts";
import { mutation, query } from "./model/builders.ts";
import { outlook as outlookView, outlookOf } from "./model/counts/outlook.ts";
import { cancel as cancelJob } from "./model/end/cancel.ts";
import { historiesOf } from "./model/end/histories.ts";
import { record } from "./model/events.ts";
import { keepFrom as keepJobsFrom } from "./model/jobs/finish.ts";
import { attemptById } from "./model/jobs/held.ts";
import { listJobs } from "./model/jobs/list.ts";
import { payloadOf } from "./model/jobs/payloads.ts";
import { waitReason, waitReasonsOf } from "./model/jobs/reasons.ts";
import { resultOf } from "./model/jobs/rows.ts";
import { attemptsOf, viewOne } from "./model/jobs/view.ts";
import { findOwned, loadOwned } from "./model/load.ts";
import { maintenance } from "./model/references.ts";
import { newestCurve, streamedChars as countStreamed } from "./model/streams/chunks.ts";
import { follow as followJob } from "./model/streams/follow.ts";
import { watch as watchJob, watchPosition, watchView } from "./model/streams/watch.ts";
import { reprioritize } from "./model/submit/reprioritize.ts";
import { submit as submitJobs } from "./model/submit/submit.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const ofJob = { scope: v.string(), jobId: v.string() };

/**
 * Submits 1 to 500 jobs, all or none, in the app's own transaction.
 * Refuses: invalid, too_large, too_many_lanes, not_found (a batch, or a job to wait for).
 */
export const submit = mutation({
  args: {
    scope: v.string(),
    jobs: v.array(jobSpec),
    batchId: v.optional(v.string()),
    handOver: v.optional(v.boolean()),
    /** If no fast worker is idle, a slow one gets the job that ends it at most so many ms later than usual. */
    slowerByMs: v.optional(v.number()),
    /** New lanes must leave room for this many more: for jobs whose requirements the app did not choose. */
    spareLanes: v.optional(v.number()),
  },
  returns: submitOutcome,
  handler: async (ctx, submission) => await submitJobs(ctx, submission, Date.now()),
});

/** Cancels a job that is not final. */
export const cancel = mutation({
  args: { ...ofJob, actor: v.optional(v.string()) },
  returns: v.union(
    v.object({ kind: v.literal("canceled") }),
    v.object({ kind: v.literal("already-final"), status: jobStatus }),
    v.object({ kind: v.literal("not-found") }),
  ),
  handler: async (ctx, { scope, jobId, actor }) => {
    const at = Date.now();
    const job = await findOwned(ctx, "jobs", scope, jobId);
    if (job === null) return { kind: "not-found" as const };
    const outcome = await cancelJob(ctx, job, at);
    if (outcome.kind === "canceled")
      await record(ctx, { scope, at, actor, action: "job.cancel", subject: jobId });
    return outcome;
  },
});

/** Changes the priority of a job that no worker has started. */
export const setPriority = mutation({
  args: { ...ofJob, priority, actor: v.optional(v.string()) },
  returns: v.union(
    v.object({ kind: v.literal("changed") }),
    v.object({ kind: v.literal("not-queued") }),
    v.object({ kind: v.literal("not-found") }),
  ),
  handler: async (ctx, { scope, jobId, priority: wanted, actor }) => {
    const job = await findOwned(ctx, "jobs", scope, jobId);
    if (job === null) return { kind: "not-found" as const };
    const outcome = await reprioritize(ctx, job, wanted);
    if (outcome.kind === "changed") {
      await record(ctx, {
        scope,
        at: Date.now(),
        actor,
        action: "job.setPriority",
        subject: `${jobId} ${wanted}`,
      });
    }
    return outcome;
  },
});

/**
 * Keeps the payloads and results of up to 100 ended jobs as if they had ended at `from`, ms epoch, if that is later than they did: for
 * jobs that are of use only together. Jobs that have not ended, or that the scope does not have, are left out. Returns the ended jobs
 * whose payloads and results are deleted already. Refuses: invalid.
 */
export const keepFrom = mutation({
  args: { scope: v.string(), jobIds: v.array(v.string()), from: v.number() },
  returns: v.array(v.string()),
  handler: async (ctx, { scope, jobIds, from }) => await keepJobsFrom(ctx, scope, jobIds, from),
});

/** Cancels the jobs of a requester, a key, a batch or a lane (by id) soon after the call, a few at a time. */
export const cancelMany = mutation({
  args: {
    scope: v.string(),
    by: canceledBy,
    name: v.string(),
    running: v.boolean(),
    /** Why, for those who wait for the jobs. */
    error: v.optional(jobError),
    /** Jobs that were submitted later stay. By default the present moment. */
    before: v.optional(v.number()),
    actor: v.optional(v.string()),
  },
  returns: v.null(),
  handler: async (ctx, { actor, ...which }) => {
    const now = Date.now();
    // Not in this transaction, which would conflict with each worker that takes or ends one of the jobs.
    await ctx.scheduler.runAfter(0, maintenance.cancelMany, { ...which, before: which.before ?? now });
    const { scope, by, name } = which;
    await record(ctx, { scope, at: now, actor, action: "job.cancelMany", subject: `${by} ${name}` });
    return null;
  },
});

export const get = query({
  args: ofJob,
  returns: v.union(jobView, v.null()),
  handler: async (ctx, { scope, jobId }) => {
    const job = await findOwned(ctx, "jobs", scope, jobId);
    return job === null ? null : await viewOne(ctx, job);
  },
});

/** The newest job with this external id. */
export const byExternalId = query({
  args: { scope: v.string(), externalId: v.string() },
  returns: v.union(jobView, v.null()),
  handler: async (ctx, { scope, externalId }) => {
    const job = await ctx.db
      .query("jobs")
      .withIndex("by_external", (q) => q.eq("scope", scope).eq("externalId", externalId))
      .order("desc")
      .first();
    return job === null ? null : await viewOne(ctx, job);
  },
});

/** The job that was submitted with this idempotency key. */
export const byIdempotencyKey = query({
  args: { scope: v.string(), idempotencyKey: v.string() },
  returns: v.union(jobView, v.null()),
  handler: async (ctx, { scope, idempotencyKey }) => {
    const job = await ctx.db
      .query("jobs")
      .withIndex("by_idempotency", (q) => q.eq("scope", scope).eq("idempotencyKey", idempotencyKey))
      .first();
    return job === null ? null : await viewOne(ctx, job);
  },
});

/** Jobs, newest first, at most 100 a page. With several filters a page may be short or empty before the last one. */
export const list = query({
  args: {
    scope: v.string(),
    status: v.optional(jobStatus),
    requester: v.optional(v.string()),
    key: v.optional(v.string()),
    batchId: v.optional(v.string()),
    model: v.optional(v.string()),
    /** Submitted at or after `from`, and before `to`; ms epoch. */
    from: v.optional(v.number()),
    to: v.optional(v.number()),
    paginationOpts: paginationOptsValidator,
  },
  returns: paginationResultValidator(jobView),
  handler: async (ctx, { paginationOpts, ...filter }) => await listJobs(ctx, filter, paginationOpts),
});

/**
 * How many characters of a text an attempt had streamed; 0 if the text does not begin with them. So the app knows what an
 * outrun attempt did of the answer.
 */
export const streamedChars = query({
  args: { scope: v.string(), attemptId: v.string(), text: v.string() },
  returns: v.number(),
  handler: async (ctx, { scope, attemptId, text }) => {
    const attempt = await attemptById(ctx, attemptId);
    return attempt?.scope === scope ? await countStreamed(ctx, attempt._id, text) : 0;
  },
});

/** How the streamed text of the job's newest attempt grew. Null if no text is stored: it was not watched, or is deleted. */
export const streamCurve = query({
  args: ofJob,
  returns: v.union(
    v.object({ attempt: v.number(), points: v.array(v.object({ at: v.number(), bytes: v.number() })) }),
    v.null(),
  ),
  handler: async (ctx, { scope, jobId }) => {
    const job = await findOwned(ctx, "jobs", scope, jobId);
    return job === null ? null : await newestCurve(ctx, job._id);
  },
});

/** The newest attempts, oldest first: at most 100, or `most`. None for an unknown job. */
export const attempts = query({
  args: { ...ofJob, most: v.optional(v.number()) },
  returns: v.array(attemptView),
  handler: async (ctx, { scope, jobId, most }) => {
    const job = await findOwned(ctx, "jobs", scope, jobId);
    return job === null ? [] : await attemptsOf(ctx, job._id, most);
  },
});

/** The ends of up to 100 jobs, for statistics. Jobs that the scope does not have are left out. Refuses: invalid. */
export const histories = query({
  args: { scope: v.string(), jobIds: v.array(v.string()) },
  returns: v.array(jobHistory),
  handler: async (ctx, { scope, jobIds }) => await historiesOf(ctx, scope, jobIds),
});

/** Why up to 100 jobs wait. Jobs that wait for nothing, or that the scope does not have, are left out. Refuses: invalid. */
export const waitReasons = query({
  args: { scope: v.string(), jobIds: v.array(v.string()) },
  returns: v.array(v.object({ jobId: v.string(), reason: waitReason })),
  handler: async (ctx, { scope, jobIds }) => await waitReasonsOf(ctx, scope, jobIds),
});

/** How a job's wait looks now. Null if a worker has it, if it has ended, or if the scope does not have it. */
export const outlook = query({
  args: ofJob,
  returns: v.union(outlookView, v.null()),
  handler: async (ctx, { scope, jobId }) => {
    const job = await findOwned(ctx, "jobs", scope, jobId);
    return job === null ? null : await outlookOf(ctx, job, Date.now());
  },
});

/** Null after the payload was purged. */
export const payload = query({
  args: ofJob,
  returns: v.union(v.object({ payload: anything }), v.null()),
  handler: async (ctx, { scope, jobId }) => {
    const job = await findOwned(ctx, "jobs", scope, jobId);
    const row = job === null ? null : await payloadOf(ctx, job._id);
    return row === null ? null : { payload: row.payload };
  },
});

/** Null before the end, and after the result was purged. */
export const result = query({
  args: ofJob,
  returns: v.union(v.object({ result: anything }), v.null()),
  handler: async (ctx, { scope, jobId }) => {
    const job = await findOwned(ctx, "jobs", scope, jobId);
    const row = job === null ? null : await resultOf(ctx, job);
    return row === null ? null : { result: row.result };
  },
});

/** A job's state, and its text after a position. Refuses: not_found. */
export const watch = query({
  args: { ...ofJob, after: v.optional(watchPosition) },
  returns: watchView,
  handler: async (ctx, { scope, jobId, after }) =>
    await watchJob(ctx, await loadOwned(ctx, "jobs", scope, jobId), after),
});

/** Says that somebody reads along. Call it again within `settings.watchMs` for as long as that lasts. */
export const follow = mutation({
  args: ofJob,
  returns: v.union(
    v.object({ kind: v.literal("following") }),
    v.object({ kind: v.literal("final") }),
    v.object({ kind: v.literal("not-found") }),
  ),
  handler: async (ctx, { scope, jobId }) => {
    const job = await findOwned(ctx, "jobs", scope, jobId);
    return job === null ? { kind: "not-found" as const } : await followJob(ctx, job, Date.now());
  },
});
