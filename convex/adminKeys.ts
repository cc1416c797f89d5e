import { priority } from "@gleaner/queue/validators";
import { v } from "convex/values";
import { adminMutation, ownKey } from "./model/adminCalls.ts";
import { setRights as setRightsOf } from "./model/organizations/keyRights.ts";

/** Sets what a key may ask for. Refuses: not_found. */
export const setRights = adminMutation({
  args: { keyId: v.id("apiKeys"), highestPriority: priority },
  returns: v.null(),
  handler: async (ctx, { keyId, ...rights }) => {
    await setRightsOf(ctx, await ownKey(ctx, keyId), rights, ctx.at);
    return null;
  },
});
