import { priority } from "@gleaner/queue/validators";
import { v } from "convex/values";
import { memberMutation, ownKey } from "./model/memberCalls.ts";
import { setRights as setRightsOf } from "./model/organizations/keyRights.ts";
import { deviceNeeds } from "./model/validators.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/**
 * Sets what a key may ask for, and what devices its jobs require. `mayRequire`: whether its requests may require more. A field
 * that is left out stays. Refuses: not_found, invalid.
 */
export const setRights = memberMutation("keys.change")({
  args: {
    keyId: v.id("apiKeys"),
    highestPriority: v.optional(priority),
    requirements: v.optional(deviceNeeds),
    mayRequire: v.optional(v.boolean()),
  },
  returns: v.null(),
  handler: async (ctx, { keyId, ...rights }) => {
    await setRightsOf(ctx, await ownKey(ctx, keyId), rights, ctx.by);
    return null;
  },
});
