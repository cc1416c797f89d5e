import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { memberMutation, memberQuery, ownDevice, ownJob } from "../../model/memberCalls.ts";
import { givenRating, mayRate } from "../../model/orders/jobRating.ts";
import { ownedOrder } from "../../model/orders/orders.ts";
import {
  disputePage,
  disputeRow,
  rejectDispute,
  reopenDispute,
  settleDispute,
} from "../../model/ratings/disputes.ts";
import { deviceRatings, deviceRatingsOf } from "../../model/ratings/ofDevice.ts";
import { ratedOutcome, rateJob, removeRating } from "../../model/ratings/rate.ts";
import { refuse } from "../../model/refuse.ts";
import { disputeState } from "../../model/validators/answers.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** Rates the answer of a job, or changes its rating. Refuses: not_found, forbidden (not its requester), invalid. */
export const rate = memberMutation("jobs.change")({
  args: { jobId: v.string(), given: givenRating },
  returns: ratedOutcome,
  handler: async (ctx, { jobId, given }) => {
    const order = await ownJob(ctx, jobId);
    if (!(await mayRate(ctx, order))) return refuseOthers();
    return await rateJob(ctx, order, given, ctx.by);
  },
});

/** Removes the rating of a job's answer. Refuses: not_found, forbidden (not its requester). */
export const remove = memberMutation("jobs.change")({
  args: { jobId: v.string() },
  returns: ratedOutcome,
  handler: async (ctx, { jobId }) => {
    const order = await ownJob(ctx, jobId);
    if (!(await mayRate(ctx, order))) return refuseOthers();
    return await removeRating(ctx, order, ctx.by);
  },
});

function refuseOthers(): never {
  return refuse("forbidden", "Only the job's requester may rate its answer.");
}

/** How requesters rated the answers of a device, as counts. Refuses: not_found. */
export const ofDevice = memberQuery("devices.read")({
  args: { deviceId: v.id("devices") },
  returns: deviceRatings,
  handler: async (ctx, { deviceId }) => await deviceRatingsOf(ctx, (await ownDevice(ctx, deviceId))._id),
});

/** Disputed answers in a state, the newest first, at most 50 a page. */
export const disputes = memberQuery("disputes.read")({
  args: { paginationOpts: paginationOptsValidator, state: disputeState },
  returns: paginationResultValidator(disputeRow),
  handler: async (ctx, { paginationOpts, state }) =>
    await disputePage(ctx, ctx.organizationId, state, paginationOpts),
});

/**
 * Finds that a disputed answer is wrong. `refund`: the organization gives the key the job's price. The requester reads the reason.
 * Refuses: not_found, conflict (it was decided, or cost nothing), invalid, revoked (the key gets no refund).
 */
export const settle = memberMutation("disputes.decide")({
  args: { jobId: v.string(), reason: v.string(), refund: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { jobId, ...decision }) => {
    const order = await ownedOrder(ctx, ctx.organizationId, jobId);
    await settleDispute(ctx, order, { ...decision, decider: ctx.member._id }, ctx.by);
    return null;
  },
});

/** Finds that a disputed answer is right. The requester reads the reason. Refuses: not_found, conflict (it was decided), invalid. */
export const reject = memberMutation("disputes.decide")({
  args: { jobId: v.string(), reason: v.string() },
  returns: v.null(),
  handler: async (ctx, { jobId, reason }) => {
    const order = await ownedOrder(ctx, ctx.organizationId, jobId);
    await rejectDispute(ctx, order, { decider: ctx.member._id, reason }, ctx.by);
    return null;
  },
});

/** Opens a decided dispute again. Refuses: not_found, conflict (it is open, or credits were refunded). */
export const reopen = memberMutation("disputes.decide")({
  args: { jobId: v.string() },
  returns: v.null(),
  handler: async (ctx, { jobId }) => {
    await reopenDispute(ctx, await ownedOrder(ctx, ctx.organizationId, jobId), ctx.by);
    return null;
  },
});
