import { v } from "convex/values";
import { internalMutation } from "../_generated/server.js";
import { submitCorrection } from "../model/requests/correction.ts";
import { correct as correctAnswer } from "../model/trust/corrections.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** Has a request answered again whose answer was found wrong. */
export const correct = internalMutation({
  args: { jobId: v.string() },
  returns: v.null(),
  handler: async (ctx, { jobId }) => {
    await correctAnswer(ctx, jobId, Date.now());
    return null;
  },
});

/** Submits the job of a correction. @returns its id. Refuses as `submitCorrection`. */
export const submit = internalMutation({
  args: { jobId: v.string() },
  returns: v.string(),
  handler: async (ctx, { jobId }) => await submitCorrection(ctx, jobId, Date.now()),
});
