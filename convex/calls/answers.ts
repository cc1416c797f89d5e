import { v } from "convex/values";
import { internalMutation } from "../_generated/server.js";
import { keepAnswers } from "../model/calls/answers.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** Keeps the answers of a call's jobs until the kept time after its end. It comes again until then. Ends a call one of whose answers is deleted. */
export const keep = internalMutation({
  args: { callId: v.id("calls") },
  returns: v.null(),
  handler: async (ctx, { callId }) => {
    await keepAnswers(ctx, callId, Date.now());
    return null;
  },
});
