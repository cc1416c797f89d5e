import { v } from "convex/values";
import { internalMutation } from "../_generated/server.js";
import { askFurther as askForFurther, goOn as goOnWith } from "../model/calls/votes.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** Goes on with a call of several jobs after one of them has ended, or at a time that it has set itself. */
export const goOn = internalMutation({
  args: { callId: v.id("calls") },
  returns: v.null(),
  handler: async (ctx, { callId }) => {
    await goOnWith(ctx, callId, Date.now());
    return null;
  },
});

/** Submits a further job of a call with votes. `larger`: the model; null: the call's own one. Refuses as `askFurther` in model/calls/. */
export const askFurther = internalMutation({
  args: { callId: v.id("calls"), index: v.number(), larger: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { callId, ...which }) => {
    await askForFurther(ctx, callId, which, Date.now());
    return null;
  },
});
