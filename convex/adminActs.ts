import { v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { internalMutation } from "./_generated/server.js";
import { adminActKinds, recordAdminAct } from "./model/adminActs.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/**
 * The embedded backend calls this for each act with its admin key. Other deployments do not: Convex Cloud has a log of its own.
 * `names`: functions, tables or variables.
 */
export const record = internalMutation({
  args: { kind: literals(...adminActKinds), names: v.array(v.string()) },
  returns: v.null(),
  handler: async (ctx, { kind, names }) => {
    await recordAdminAct(ctx, kind, names, Date.now());
    return null;
  },
});
