import { ConvexError, v } from "convex/values";
import { internal } from "../_generated/api.js";
import { internalMutation } from "../_generated/server.js";
import { putStep, resumeCalls, takeStep } from "../model/calls/steps.ts";
import { askFurther as askForFurther, goOn as goOnWith } from "../model/calls/votes.ts";
import type { Refusal } from "../model/refuse.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** `at`: the time for which it was scheduled. */
const ofStep = { callId: v.id("calls"), at: v.number() };

/**
 * Goes on with a call of several jobs after one of them has ended, or at a time that it has set itself. While the deployment lacks its
 * master key, the answers cannot be read. Then it tries again later.
 */
export const goOn = internalMutation({
  args: ofStep,
  returns: v.null(),
  handler: async (ctx, { callId, at }) => {
    try {
      await ctx.runMutation(internal.calls.steps.step, { callId, at });
    } catch (thrown) {
      const { code, retryAfterMs } = (thrown instanceof ConvexError ? thrown.data : {}) as Partial<Refusal>;
      if (code !== "draining" || retryAfterMs === undefined) throw thrown;
      await putStep(ctx, callId, Date.now() + retryAfterMs);
    }
    return null;
  },
});

/** The steps of `goOn`. A refusal undoes them. Refuses: draining, not_found (the jobs are deleted). */
export const step = internalMutation({
  args: ofStep,
  returns: v.null(),
  handler: async (ctx, { callId, at }) => {
    if (await takeStep(ctx, callId, at)) await goOnWith(ctx, callId, Date.now());
    return null;
  },
});

/** Goes on with calls whose last step has thrown or was never run. */
export const resume = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    await resumeCalls(ctx, Date.now());
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
