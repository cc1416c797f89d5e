import { jobStatus, priority } from "@gleaner/queue/validators";
import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { changesText } from "../../app/audit/changes.ts";
import { changedAtOnce } from "../../app/jobs/limits.ts";
import {
  idIn,
  may,
  memberMutation,
  memberQuery,
  ownBatch,
  ownDevice,
  ownJob,
  ownKey,
} from "../model/memberCalls.ts";
import { findJob } from "../model/orders/findJob.ts";
import {
  heldAct,
  heldChange,
  holdChange,
  holdRetryOfAll,
  undoHeldChange,
  undoneChange,
} from "../model/orders/heldChanges.ts";
import { jobDetail, jobDetailOf } from "../model/orders/jobDetail.ts";
import { deadLetterPage, jobPage } from "../model/orders/jobPages.ts";
import { jobRow } from "../model/orders/jobRow.ts";
import { canceled, cancelOrder } from "../model/orders/orders.ts";
import { mayLook } from "../model/orders/payloadAccess.ts";
import {
  prioritized,
  setOrderPriority,
  undonePriority,
  undoOrderPriority,
} from "../model/orders/priorities.ts";
import { retryOrder, retryOutcome } from "../model/orders/retry.ts";
import { queue } from "../model/queue.ts";
import { receiptOf } from "../model/receipts/read.ts";
import { owned, refuse } from "../model/refuse.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/**
 * Jobs, newest first: of one status or of all, of a key, a device, a batch, a model, and of a time (ms epoch). A page may be short
 * before the last one. Refuses: not_found (the key, the device or the batch).
 */
export const list = memberQuery("jobs.read")({
  args: {
    paginationOpts: paginationOptsValidator,
    status: v.optional(jobStatus),
    keyId: v.optional(v.string()),
    deviceId: v.optional(v.string()),
    batchId: v.optional(v.string()),
    model: v.optional(v.string()),
    from: v.optional(v.number()),
    to: v.optional(v.number()),
  },
  returns: paginationResultValidator(jobRow),
  handler: async (ctx, { paginationOpts, keyId, deviceId, batchId, ...filter }) => {
    const [key, device, batch] = await Promise.all([
      keyId === undefined ? undefined : ownKey(ctx, idIn(ctx, "apiKeys", keyId)),
      deviceId === undefined ? undefined : ownDevice(ctx, idIn(ctx, "devices", deviceId)),
      batchId === undefined ? undefined : ownBatch(ctx, batchId),
    ]);
    return await jobPage(ctx, { ...filter, key, device, batch }, paginationOpts);
  },
});

/** All about a job but its request and its answer. Refuses: not_found. */
export const get = memberQuery("jobs.read")({
  args: { jobId: v.string() },
  returns: jobDetail,
  handler: async (ctx, { jobId }) => await jobDetailOf(ctx, await ownJob(ctx, jobId)),
});

/**
 * How the text of a job's newest attempt grew, as its device streamed it: bytes, not the text. Null if nobody reads along, and
 * ten minutes after the end. Refuses: not_found.
 */
export const curve = memberQuery("jobs.read")({
  args: { jobId: v.string() },
  returns: v.union(
    v.object({ attempt: v.number(), points: v.array(v.object({ at: v.number(), bytes: v.number() })) }),
    v.null(),
  ),
  handler: async (ctx, { jobId }) => {
    await ownJob(ctx, jobId);
    return await queue.streamCurve(ctx, ctx.organizationId, jobId);
  },
});

/**
 * The signed receipt of an answered job, as JSON. Refuses: not_found, forbidden (who sees no money, or may not look at the answer: its
 * hash shows whether a guess of it is right).
 */
export const receipt = memberQuery("jobs.read")({
  args: { jobId: v.string() },
  returns: v.string(),
  handler: async (ctx, { jobId }) => {
    const order = await ownJob(ctx, jobId);
    if (!may(ctx, "money.read")) refuse("forbidden", "You may not see what jobs cost.");
    if (!(await mayLook(ctx, order))) refuse("forbidden", "Only the job's requester may have its receipt.");
    return await receiptOf(ctx, order);
  },
});

/** The id of the job with exactly this id, as the API or the console shows it, or with this external id; null without one. */
export const find = memberQuery("jobs.read")({
  args: { text: v.string() },
  returns: v.union(v.string(), v.null()),
  handler: async (ctx, { text }) => await findJob(ctx, text),
});

/** Cancels an unfinished job of the organization at once. */
export const cancel = memberMutation("jobs.change")({
  args: { jobId: v.string() },
  returns: canceled,
  handler: async (ctx, { jobId }) => {
    const outcome = await cancelOrder(ctx, await ownJob(ctx, jobId));
    if (outcome.kind === "canceled") await ctx.audit("job.canceled", jobId);
    return outcome;
  },
});

/**
 * Cancels jobs, or retries or discards failed and expired ones, eight seconds from now, unless `undoChange` comes first. Jobs that
 * it does not fit by then are left out. At most 50 a call. Refuses: invalid, not_found.
 */
export const changeSoon = memberMutation("jobs.change")({
  args: { act: heldAct, jobIds: v.array(v.string()) },
  returns: heldChange,
  handler: async (ctx, wanted) => {
    const { jobIds } = wanted;
    if (jobIds.length === 0 || jobIds.length > changedAtOnce)
      refuse("invalid", `Name one to ${String(changedAtOnce)} jobs.`);
    for (const jobId of jobIds) await ownJob(ctx, jobId);
    const actor = { memberId: ctx.member._id, sessionId: ctx.session._id };
    return await holdChange(ctx, ctx.organizationId, wanted, { actor, now: ctx.at });
  },
});

/** Keeps the jobs that `changeSoon` would change. Members who see only their own jobs undo their own changes. Refuses: not_found. */
export const undoChange = memberMutation("jobs.change")({
  args: { heldId: v.id("heldCancels") },
  returns: undoneChange,
  handler: async (ctx, { heldId }) => {
    const held = await ctx.db.get("heldCancels", heldId);
    // Its row is deleted once the jobs are changed.
    if (held === null) return { kind: "too-late" as const };
    owned(held, ctx.organizationId, "change");
    if (ctx.scope === "own" && held.actor.memberId !== ctx.member._id)
      refuse("not_found", "There is no such change.");
    return await undoHeldChange(ctx, held, ctx.by);
  },
});

/**
 * Changes the priority of a job of the organization that no device has started. Its key pays a higher price, if there is one.
 * Refuses: not_found, priority_not_allowed (the key's limit counts), quota_exceeded.
 */
export const setPriority = memberMutation("jobs.change")({
  args: { jobId: v.string(), priority },
  returns: prioritized,
  handler: async (ctx, { jobId, priority: wanted }) => {
    const order = await ownJob(ctx, jobId);
    const outcome = await setOrderPriority(ctx, order, wanted, ctx.at);
    const detail = changesText([["highest priority so far", order.priority, wanted]]);
    if (outcome.kind === "changed") await ctx.audit("job.prioritized", jobId, detail);
    return outcome;
  },
});

/**
 * Undoes a change of a job's priority within a minute, if no device has taken the job since. Its key pays the former price again.
 * `at`: the moment of the change. Refuses: not_found.
 */
export const undoPriority = memberMutation("jobs.change")({
  args: { jobId: v.string(), at: v.number() },
  returns: undonePriority,
  handler: async (ctx, { jobId, at }) => {
    const outcome = await undoOrderPriority(ctx, await ownJob(ctx, jobId), at, ctx.at);
    if (outcome.kind === "undone") await ctx.audit("job.priority-undone", jobId);
    return outcome;
  },
});

/** Jobs that failed for good or expired, newest first. */
export const deadLetters = memberQuery("jobs.read")({
  args: { paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(jobRow),
  handler: async (ctx, { paginationOpts }) => await deadLetterPage(ctx, paginationOpts),
});

/** Retries a dead letter. Its key is charged again, so its credits may not be enough. */
export const retryDeadLetter = memberMutation("jobs.change")({
  args: { jobId: v.string() },
  returns: retryOutcome,
  handler: async (ctx, { jobId }) => {
    const order = await ownJob(ctx, jobId);
    const outcome = await retryOrder(ctx, order, ctx.by);
    if (outcome.kind === "ready") await ctx.audit("dead-letter.retried", jobId);
    return outcome;
  },
});

/**
 * Retries all dead letters whose keys can pay, eight seconds from now, unless `undoChange` comes first. `onlyMendable`: not
 * those whose request itself causes the error.
 */
export const retryAllSoon = memberMutation("queue.change")({
  args: { onlyMendable: v.optional(v.boolean()) },
  returns: heldChange,
  handler: async (ctx, { onlyMendable = false }) => {
    const actor = { memberId: ctx.member._id, sessionId: ctx.session._id };
    return await holdRetryOfAll(ctx, ctx.organizationId, { onlyMendable }, { actor, now: ctx.at });
  },
});
