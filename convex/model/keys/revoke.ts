import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { cancel } from "../jobs/cancel.ts";

const jobsPerBatch = 50;

/** Cancels the ready jobs of a revoked key, in batches: nobody could read their answers. */
export async function cancelReadyJobs(ctx: MutationCtx, apiKeyId: Id<"apiKeys">, now: number): Promise<void> {
  const ready = await ctx.db
    .query("jobs")
    .withIndex("by_key_status", (q) => q.eq("apiKeyId", apiKeyId).eq("status", "ready"))
    .take(jobsPerBatch);
  for (const job of ready) await cancel(ctx, job, now);
  if (ready.length === jobsPerBatch) {
    await ctx.scheduler.runAfter(0, internal.maintenance.cancelJobsOfKey, { apiKeyId });
  }
}
