import { anything, size } from "@gleaner/queue/validators";
import { v } from "convex/values";
import { mutation, query } from "./builders.ts";
import { kind, queue, scope } from "./queue.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

export const submit = mutation({
  args: { payload: anything, watched: v.boolean(), handOver: v.boolean(), size: v.optional(size) },
  handler: async (ctx, { payload, watched, handOver, size }) => {
    const job = { kind, payload, watched, ...(size === undefined ? {} : { size }) };
    const outcome = await queue.submit(ctx, scope, job, { handOver });
    if (outcome.kind !== "submitted") throw new Error(`The job was not submitted: ${outcome.kind}.`);
    return outcome.jobId;
  },
});

/** The requester's subscription: the job's status, and its text after a position. */
export const watch = query({
  args: {
    jobId: v.string(),
    after: v.optional(v.object({ attemptId: v.string(), seq: v.number() })),
  },
  handler: (ctx, { jobId, after }) => queue.watch(ctx, scope, jobId, after),
});

const open = ["waiting", "ready", "prefetched", "running", "failed", "canceled", "expired"] as const;

/** Whether every job has succeeded. */
export const allDone = query({
  args: {},
  handler: async (ctx) => {
    for (const status of open) {
      const { page } = await queue.list(ctx, scope, {
        status,
        paginationOpts: { numItems: 1, cursor: null },
      });
      if (page.length > 0) return false;
    }
    return true;
  },
});
