import { batchView, jobStatus, priority } from "@gleaner/queue/validators";
import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { internal } from "../_generated/api.js";
import { actorName } from "../model/audit.ts";
import { may, memberMutation, memberQuery, ownJob, visibleOwners } from "../model/memberCalls.ts";
import { deadLetterPage, jobPage } from "../model/orders/jobPages.ts";
import { jobRow, withoutPrice } from "../model/orders/jobRow.ts";
import { canceled, cancelOrder, prioritized, setOrderPriority } from "../model/orders/orders.ts";
import { retryBatch, retryOrder, retryOutcome } from "../model/orders/retry.ts";
import { queue } from "../model/queue.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** Jobs of one status or of all, newest first. */
export const list = memberQuery("jobs.read")({
  args: { paginationOpts: paginationOptsValidator, status: v.optional(jobStatus) },
  returns: paginationResultValidator(jobRow),
  handler: async (ctx, { paginationOpts, status }) => {
    const which = status === undefined ? { paginationOpts } : { paginationOpts, status };
    const page = await jobPage(ctx, ctx.organizationId, visibleOwners(ctx), which);
    return may(ctx, "money.read") ? page : { ...page, page: page.page.map(withoutPrice) };
  },
});

/** Cancels an unfinished job of the organization. */
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
 * Changes the priority of a job of the organization that no device has started. Its key pays a higher price, if there is one.
 * Refuses: not_found, priority_not_allowed (the key's limit counts), quota_exceeded.
 */
export const setPriority = memberMutation("jobs.change")({
  args: { jobId: v.string(), priority },
  returns: prioritized,
  handler: async (ctx, { jobId, priority: wanted }) => {
    const order = await ownJob(ctx, jobId);
    const outcome = await setOrderPriority(ctx, order, wanted, ctx.at);
    if (outcome.kind === "changed") await ctx.audit("job.prioritized", jobId);
    return outcome;
  },
});

/** Jobs that failed for good or expired, newest first. */
export const deadLetters = memberQuery("jobs.read")({
  args: { paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(jobRow),
  handler: async (ctx, { paginationOpts }) => {
    const page = await deadLetterPage(ctx, ctx.organizationId, visibleOwners(ctx), paginationOpts);
    return may(ctx, "money.read") ? page : { ...page, page: page.page.map(withoutPrice) };
  },
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

/** Retries all dead letters whose keys can pay. `started`: retried now. If `more`, the others follow soon. */
export const retryDeadLetters = memberMutation("queue.change")({
  args: {},
  returns: v.object({ started: v.number(), more: v.boolean() }),
  handler: async (ctx) => {
    const { organizationId } = ctx;
    const { started, next } = await retryBatch(ctx, organizationId, null, ctx.by);
    if (next !== null) {
      await ctx.scheduler.runAfter(0, internal.maintenance.retryDeadLetters, {
        organizationId,
        cursor: next,
        actor: ctx.by.actor,
      });
    }
    await ctx.audit("dead-letters.retried", "all");
    return { started, more: next !== null };
  },
});

/** Deletes a dead letter's prompt, so it can't be retried. The failure stays in the history. */
export const discardDeadLetter = memberMutation("jobs.change")({
  args: { jobId: v.string() },
  returns: v.object({ kind: v.union(v.literal("discarded"), v.literal("not-dead")) }),
  handler: async (ctx, { jobId }) => {
    const { organizationId } = ctx;
    const order = await ownJob(ctx, jobId);
    const outcome = await queue.deadLetters.discard(
      ctx,
      organizationId,
      order.jobId,
      actorName(ctx.by.actor),
    );
    if (outcome.kind === "discarded") await ctx.audit("dead-letter.discarded", jobId);
    return outcome;
  },
});

/** Batches, newest first. */
export const batches = memberQuery("queue.read")({
  args: { paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(batchView),
  handler: async (ctx, { paginationOpts }) =>
    await queue.batches.list(ctx, ctx.organizationId, paginationOpts),
});
