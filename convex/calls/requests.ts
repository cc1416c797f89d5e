import { priority } from "@gleaner/queue/validators";
import { v } from "convex/values";
import { literals } from "convex-helpers/validators";
import type { Doc } from "../_generated/dataModel.js";
import type { QueryCtx } from "../_generated/server.js";
import { internalMutation, internalQuery } from "../_generated/server.js";
import { admittedKey } from "../model/authenticate.ts";
import { cancelCall, prioritizeCall } from "../model/calls/changes.ts";
import { callState, callView, inputsOfJob, ownCall, stateOfCall, viewOfCall } from "../model/calls/view.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** A key that was admitted, and the id of one of its calls of several jobs. */
const ofAdmittedKey = { keyId: v.id("apiKeys"), id: v.string() };

/** Refuses: unauthorized, revoked, not_found. */
async function callOf(
  ctx: QueryCtx,
  { keyId, id }: { readonly keyId: Doc<"apiKeys">["_id"]; readonly id: string },
): Promise<Doc<"calls">> {
  return await ownCall(ctx, await admittedKey(ctx, keyId), id);
}

/** A call of several jobs, without its request and its answer. Refuses as `callOf`. */
export const view = internalQuery({
  args: ofAdmittedKey,
  returns: callView,
  handler: async (ctx, which) => await viewOfCall(ctx, await callOf(ctx, which)),
});

/** Whether a call has ended. Refuses as `callOf`. */
export const state = internalQuery({
  args: ofAdmittedKey,
  returns: callState,
  handler: async (ctx, which) => await stateOfCall(ctx, await callOf(ctx, which)),
});

/** The inputs of one of its jobs, from which a ranking repeats the documents. Null once they are deleted. Refuses as `callOf`. */
export const inputs = internalQuery({
  args: { ...ofAdmittedKey, jobId: v.string() },
  returns: v.union(v.array(v.string()), v.null()),
  handler: async (ctx, { jobId, ...which }) => {
    const call = await callOf(ctx, which);
    return call.jobIds.includes(jobId) ? await inputsOfJob(ctx, call, jobId) : null;
  },
});

/** Cancels those of its jobs that have not ended. `ended`: the whole call had ended before. Refuses as `callOf`. */
export const cancel = internalMutation({
  args: ofAdmittedKey,
  returns: literals("canceled", "ended"),
  handler: async (ctx, which) => await cancelCall(ctx, await callOf(ctx, which), Date.now()),
});

/**
 * Changes the priority of those of its jobs that no device has started. Returns whether there was one. Refuses as `callOf`, and:
 * priority_not_allowed, quota_exceeded.
 */
export const setPriority = internalMutation({
  args: { ...ofAdmittedKey, priority },
  returns: v.boolean(),
  handler: async (ctx, { priority: wanted, ...which }) =>
    await prioritizeCall(ctx, await callOf(ctx, which), wanted, Date.now()),
});
