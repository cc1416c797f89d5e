import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { stream } from "convex-helpers/server/stream";
import {
  allowedCapabilities,
  anything,
  attemptView,
  missingRequirement,
  requirements,
  workerStatus,
  workerView,
} from "../shared/validators.ts";
import { authenticate, findByKey } from "./model/authenticate.ts";
import { boundedPage } from "./model/bounds.ts";
import { mutation, query } from "./model/builders.ts";
import { attemptById, passFence } from "./model/jobs/held.ts";
import { payloadOf } from "./model/jobs/payloads.ts";
import { viewAttempt } from "./model/jobs/view.ts";
import { findOwned, loadOwned } from "./model/load.ts";
import { schema } from "./model/schema.ts";
import { continuesStream } from "./model/streams/chunks.ts";
import { missingIn } from "./model/workers/missing.ts";
import { register as registerWorker } from "./model/workers/register.ts";
import { update as updateWorker } from "./model/workers/update.ts";
import {
  areOthersAccepting as areOthersAcceptingIn,
  byExternalId as findByExternalId,
  viewOf,
} from "./model/workers/view.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const inScope = { scope: v.string() };
const ofWorker = { ...inScope, workerId: v.string() };
const byWorker = { keyHash: v.string() };
const names = v.optional(v.array(v.string()));

/** Registers a worker. Refuses: invalid (the key or the externalId is in use). */
export const register = mutation({
  args: {
    ...inScope,
    ...byWorker,
    externalId: v.optional(v.string()),
    name: v.string(),
    groups: names,
    labels: names,
    dataClasses: names,
    keyPrefix: v.optional(v.string()),
    allowedCapabilities: v.optional(allowedCapabilities),
    maxConcurrentJobs: v.optional(v.number()),
    actor: v.optional(v.string()),
  },
  returns: v.object({ workerId: v.string() }),
  handler: async (ctx, worker): Promise<{ workerId: string }> => ({
    workerId: await registerWorker(ctx, worker, Date.now()),
  }),
});

/**
 * Renames a worker, changes what it may run, pauses it, resumes it, or retires it for good. Refuses: not_found,
 * invalid.
 */
export const update = mutation({
  args: {
    ...ofWorker,
    name: v.optional(v.string()),
    groups: names,
    labels: names,
    dataClasses: names,
    allowedCapabilities: v.optional(v.union(allowedCapabilities, v.null())),
    maxConcurrentJobs: v.optional(v.union(v.number(), v.null())),
    status: v.optional(workerStatus),
    keepsJobs: v.optional(v.boolean()),
    actor: v.optional(v.string()),
  },
  returns: v.null(),
  handler: async (ctx, { scope, workerId, ...change }) => {
    const worker = await loadOwned(ctx, "workers", scope, workerId);
    await updateWorker(ctx, worker, change, Date.now());
    return null;
  },
});

export const get = query({
  args: ofWorker,
  returns: v.union(workerView, v.null()),
  handler: async (ctx, { scope, workerId }) => {
    const worker = await findOwned(ctx, "workers", scope, workerId);
    return worker === null ? null : await viewOf(ctx, worker);
  },
});

export const byExternalId = query({
  args: { ...inScope, externalId: v.string() },
  returns: v.union(workerView, v.null()),
  handler: async (ctx, { scope, externalId }) => {
    const worker = await findByExternalId(ctx, scope, externalId);
    return worker === null ? null : await viewOf(ctx, worker);
  },
});

/** The worker with a key, also if it is retired; null for an unknown key. */
export const find = query({
  args: byWorker,
  returns: v.union(v.object({ ...workerView.fields, scope: v.string() }), v.null()),
  handler: async (ctx, { keyHash }) => {
    const worker = await findByKey(ctx, keyHash);
    return worker === null ? null : { ...(await viewOf(ctx, worker)), scope: worker.scope };
  },
});

/** The scope's workers, online workers first. */
export const list = query({
  args: { ...inScope, online: v.optional(v.boolean()), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(workerView),
  handler: async (ctx, { scope, online, paginationOpts }) => {
    const found = await stream(ctx.db, schema)
      .query("workers")
      .withIndex("by_online", (q) =>
        online === undefined ? q.eq("scope", scope) : q.eq("scope", scope).eq("online", online),
      )
      .order("desc")
      .paginate(boundedPage(paginationOpts));
    return { ...found, page: await Promise.all(found.page.map((worker) => viewOf(ctx, worker))) };
  },
});

/** The workers that came, went or changed at `since` or later, oldest change first. An app's copy can follow them by it. */
export const changed = query({
  args: { ...inScope, since: v.number(), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(workerView),
  handler: async (ctx, { scope, since, paginationOpts }) => {
    const found = await stream(ctx.db, schema)
      .query("workers")
      .withIndex("by_change", (q) => q.eq("scope", scope).gte("lastChangeAt", since))
      .paginate(boundedPage(paginationOpts));
    return { ...found, page: await Promise.all(found.page.map((worker) => viewOf(ctx, worker))) };
  },
});

/**
 * A requirement that no worker of the scope could ever meet; null if one could, or if there are too many workers to tell.
 * `gpuTags`: tags by which workers report a GPU that they may not use at the moment. Only workers are read, and mostly one.
 */
export const missing = query({
  args: { ...inScope, requirements, gpuTags: names },
  returns: v.union(missingRequirement, v.null()),
  handler: async (ctx, { scope, requirements: needs, gpuTags = [] }) =>
    await missingIn(ctx, scope, needs, gpuTags),
});

/** Whether another worker of the scope accepts jobs now, in any lane. */
export const areOthersAccepting = query({
  args: ofWorker,
  returns: v.boolean(),
  handler: async (ctx, { scope, workerId }) => await areOthersAcceptingIn(ctx, scope, workerId),
});

/** The attempts of a worker, newest first. Refuses: not_found. */
export const history = query({
  args: { ...ofWorker, paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(attemptView),
  handler: async (ctx, { scope, workerId, paginationOpts }) => {
    const worker = await loadOwned(ctx, "workers", scope, workerId);
    const found = await stream(ctx.db, schema)
      .query("attempts")
      .withIndex("by_worker", (q) => q.eq("workerId", worker._id))
      .order("desc")
      .paginate(boundedPage(paginationOpts));
    return { ...found, page: found.page.map((attempt) => viewAttempt(attempt, worker)) };
  },
});

/**
 * The job of an attempt that the worker holds, for an app that checks results before it passes them on to `complete`.
 * Null if the worker does not hold it. `continues`: whether `text`, the whole text of the result, begins with all that was
 * streamed of it; true without `text`.
 */
export const attempt = query({
  args: { ...byWorker, attemptId: v.string(), text: v.optional(v.string()) },
  returns: v.union(
    v.object({
      jobId: v.string(),
      kind: v.string(),
      payload: anything,
      claimedAt: v.number(),
      continues: v.boolean(),
    }),
    v.null(),
  ),
  handler: async (ctx, { keyHash, attemptId, text }) => {
    const [worker, found] = await Promise.all([authenticate(ctx, keyHash), attemptById(ctx, attemptId)]);
    const held = await passFence(ctx, worker, found);
    if (held === null) return null;
    const { job, attempt: own } = held;
    const [payload, continues] = await Promise.all([
      payloadOf(ctx, job._id),
      text === undefined || !job.watched ? true : continuesStream(ctx, own._id, text),
    ]);
    const { _id: jobId, kind } = job;
    return { jobId, kind, payload: payload?.payload ?? null, claimedAt: own.claimedAt, continues };
  },
});
