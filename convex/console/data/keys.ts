import { v } from "convex/values";
import { internal } from "../../_generated/api.js";
import { memberAction, memberQuery } from "../../model/memberCalls.ts";
import { dataKeyState, newDataKey, stateOf } from "../../model/texts/dataKeys.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** Whether the organization's prompts, answers and files are stored encrypted. */
export const state = memberQuery("policy.read")({
  args: {},
  returns: dataKeyState,
  handler: async (ctx) => await stateOf(ctx, ctx.organizationId),
});

/**
 * Destroys the data key, so that nobody can read the stored prompts, answers and files any more, and cancels the jobs and batches that have not ended.
 * Nobody can undo this. Refuses: conflict (there is no key).
 */
export const destroy = memberAction("payloads.change")({
  args: {},
  returns: v.null(),
  handler: async (ctx, call): Promise<null> =>
    await ctx.runMutation(internal.data.keys.destroy, { ...call, fresh: newDataKey() }),
});
