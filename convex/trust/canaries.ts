import { v } from "convex/values";
import { internalMutation } from "../_generated/server.js";
import { askCanary, submitCanary, submitToThird } from "../model/trust/canaries/ask.ts";
import { compareCanary } from "../model/trust/canaries/compare.ts";
import { chatRequest } from "../model/validators/requests.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** Asks one canary, if a device needs one. `mostMs`: the time that it may take; absent: any. @returns whether it did. */
export const ask = internalMutation({
  args: { organizationId: v.id("organizations"), mostMs: v.optional(v.number()) },
  returns: v.boolean(),
  handler: async (ctx, { organizationId, mostMs = Infinity }) =>
    await askCanary(ctx, organizationId, mostMs, Date.now()),
});

/** Submits a canary to two devices: the tested one, and one to compare with. Refuses as a submission. */
export const submit = internalMutation({
  args: {
    organizationId: v.id("organizations"),
    modelId: v.string(),
    deviceIds: v.array(v.id("devices")),
    request: chatRequest,
    cacheOwner: v.string(),
  },
  returns: v.null(),
  handler: async (ctx, canary) => {
    await submitCanary(ctx, canary, Date.now());
    return null;
  },
});

/** Compares the answers to a canary after one of its jobs has ended. */
export const compare = internalMutation({
  args: { canaryId: v.id("canaries") },
  returns: v.null(),
  handler: async (ctx, { canaryId }) => {
    await compareCanary(ctx, canaryId, Date.now());
    return null;
  },
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
