import { v } from "convex/values";
import { internalMutation } from "../_generated/server.js";
import { askCanary, submitCanary, submitToThird } from "../model/trust/canaries/ask.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** Asks one canary, if a device needs one. */
export const ask = internalMutation({
  args: { organizationId: v.id("organizations") },
  returns: v.null(),
  handler: async (ctx, { organizationId }) => {
    await askCanary(ctx, organizationId);
    return null;
  },
});

/** Submits a canary to two devices. @returns whether a device needed one. Refuses as a submission. */
export const submit = internalMutation({
  args: { organizationId: v.id("organizations") },
  returns: v.boolean(),
  handler: async (ctx, { organizationId }) => await submitCanary(ctx, organizationId, Date.now()),
});

/** Submits a canary to a third device. @returns whether there is one. Refuses as a submission. */
export const submitThird = internalMutation({
  args: { canaryId: v.id("canaries"), heard: v.array(v.id("devices")) },
  returns: v.boolean(),
  handler: async (ctx, { canaryId, heard }) => {
    const canary = await ctx.db.get("canaries", canaryId);
    const devices = await Promise.all(heard.map(async (id) => await ctx.db.get("devices", id)));
    const known = devices.flatMap((device) => device ?? []);
    return canary !== null && (await submitToThird(ctx, canary, known, Date.now()));
  },
});
