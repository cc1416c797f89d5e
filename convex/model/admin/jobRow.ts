import { type Infer, v } from "convex/values";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { attemptStatus, jobStatus, usage } from "../validators.ts";

const maxAttempts = 20;

export const jobRow = v.object({
  jobId: v.id("jobs"),
  model: v.string(),
  status: jobStatus,
  keyName: v.string(),
  submittedAt: v.number(),
  startedAt: v.union(v.number(), v.null()),
  finishedAt: v.union(v.number(), v.null()),
  attempts: v.array(
    v.object({
      number: v.number(),
      deviceName: v.string(),
      status: attemptStatus,
      startedAt: v.number(),
      endedAt: v.union(v.number(), v.null()),
    }),
  ),
  usage: v.union(usage, v.null()),
  priceMicro: v.union(v.int64(), v.null()),
  error: v.union(v.object({ code: v.string(), message: v.string() }), v.null()),
});

/** A job as the console shows it: who, where, when, what it cost; never what was asked. */
export async function jobRowOf(ctx: QueryCtx, job: Doc<"jobs">): Promise<Infer<typeof jobRow>> {
  const key = await ctx.db.get("apiKeys", job.apiKeyId);
  const newest = await ctx.db
    .query("attempts")
    .withIndex("by_job", (q) => q.eq("jobId", job._id))
    .order("desc")
    .take(maxAttempts);
  const attempts = await Promise.all(
    newest.reverse().map(async ({ number, deviceId, status, startedAt, endedAt }) => ({
      number,
      deviceName: (await ctx.db.get("devices", deviceId))?.name ?? "",
      status,
      startedAt,
      endedAt: endedAt ?? null,
    })),
  );
  return {
    jobId: job._id,
    model: job.modelId,
    status: job.status,
    keyName: key?.name ?? "",
    submittedAt: job.submittedAt,
    startedAt: job.startedAt ?? null,
    finishedAt: job.finishedAt ?? null,
    attempts,
    usage: job.usage ?? null,
    priceMicro: job.priceMicro ?? null,
    error: job.error ?? null,
  };
}
