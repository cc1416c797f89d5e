import { v } from "convex/values";
import { mutation, query } from "./builders.ts";
import { anything } from "./schema.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** Queues a job with an empty answer. */
export const submit = mutation({
  args: { payload: anything },
  handler: async (ctx, { payload }) => {
    const messageId = await ctx.db.insert("messages", { text: "", state: "generating" });
    return ctx.db.insert("jobs", { status: "pending", lastUpdate: Date.now(), messageId, payload });
  },
});

/** The requester's subscription: the answer so far, the job's status and its last sign of life. */
export const answer = query({
  args: { jobId: v.id("jobs") },
  handler: async (ctx, { jobId }) => {
    const job = await ctx.db.get(jobId);
    if (job === null) return null;
    const message = await ctx.db.get(job.messageId);
    return { status: job.status, lastUpdate: job.lastUpdate, text: message?.text ?? "" };
  },
});

/** Whether every job has succeeded. */
export const allDone = query({
  args: {},
  handler: async (ctx) => {
    for (const status of ["pending", "inProgress", "failed", "timedOut"] as const) {
      const job = await ctx.db
        .query("jobs")
        .withIndex("by_status", (q) => q.eq("status", status))
        .first();
      if (job !== null) return false;
    }
    return true;
  },
});
