import { v } from "convex/values";
import { answerParts, requestParts } from "../../app/jobs/payload/payload-parts.ts";
import { scopeOf } from "../../app/people/rights.ts";
import { memberMutation, memberQuery } from "../model/memberCalls.ts";
import { ownedOrder } from "../model/orders/orders.ts";
import { mayLook, ownersMayLook } from "../model/orders/payloadAccess.ts";
import { queue } from "../model/queue.ts";
import { refuse } from "../model/refuse.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const parts = v.array(v.object({ from: v.string(), text: v.string() }));

/**
 * The request and the answer of a job. Each look is in the audit trail, so this is a mutation. Null: it was deleted, or there is
 * no answer. Refuses: not_found, forbidden (the member sees the job, but may not look).
 */
export const look = memberMutation("payloads.read")({
  args: { jobId: v.string() },
  returns: v.object({ request: v.union(parts, v.null()), answer: v.union(parts, v.null()) }),
  handler: async (ctx, { jobId }) => {
    const order = await ownedOrder(ctx, ctx.organizationId, jobId);
    if (!(await mayLook(ctx, order))) {
      if (scopeOf("jobs.read", ctx.member.roles) !== "all") refuse("not_found", "There is no such job.");
      refuse("forbidden", "Only the job's requester may look at its request and its answer.");
    }
    const [payload, result] = await Promise.all([
      queue.payload(ctx, ctx.organizationId, jobId),
      queue.result(ctx, ctx.organizationId, jobId),
    ]);
    await ctx.audit("job.payload-read", jobId);
    return {
      request: payload === null ? null : [...requestParts(payload.payload)],
      answer: result === null ? null : [...answerParts(result.result)],
    };
  },
});

/** Whether owners may look at the requests and answers of all jobs. */
export const access = memberQuery("payloads.change")({
  args: {},
  returns: v.object({ ownersMayLook: v.boolean() }),
  handler: async (ctx) => ({ ownersMayLook: await ownersMayLook(ctx) }),
});

/** Lets owners look at the requests and answers of all jobs, or ends that. Each look stays in the audit trail. */
export const setAccess = memberMutation("payloads.change")({
  args: { ownersMayLook: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { ownersMayLook: allowed }) => {
    if ((await ownersMayLook(ctx)) === allowed) return null;
    await ctx.db.patch("organizations", ctx.organizationId, { ownersReadPayloads: allowed });
    const detail = allowed ? "Owners may look at all jobs." : "Only a job's requester may look at it.";
    await ctx.audit("payload-access.changed", ctx.organizationId, detail);
    return null;
  },
});
