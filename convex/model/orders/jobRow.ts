import { attemptStatus, jobStatus, type JobView, priority, waitsFor } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import type { QueryCtx } from "../../_generated/server.js";
import { queue } from "../queue.ts";
import { usage } from "../validators.ts";
import { orderOf } from "./orders.ts";

export const jobRow = v.object({
  jobId: v.string(),
  kind: v.string(),
  model: v.string(),
  status: jobStatus,
  waitsFor: v.union(waitsFor, v.null()),
  priority,
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

/** A job as the console shows it: its key, devices, times and price, but never the prompt. */
export async function jobRowOf(ctx: QueryCtx, scope: string, job: JobView): Promise<Infer<typeof jobRow>> {
  const [order, attempts] = await Promise.all([
    orderOf(ctx, job.jobId),
    job.attempts === 0 ? [] : queue.attempts(ctx, scope, job.jobId),
  ]);
  const key = order === null ? null : await ctx.db.get("apiKeys", order.apiKeyId);
  return {
    jobId: job.jobId,
    kind: job.kind,
    model: order?.modelId ?? job.requirements.model ?? "",
    status: job.status,
    waitsFor: job.waitsFor,
    priority: job.priority,
    keyName: key?.name ?? "",
    submittedAt: job.submittedAt,
    startedAt: job.startedAt,
    finishedAt: job.finishedAt,
    attempts: attempts.map(({ number, workerName, status, claimedAt, endedAt }) => ({
      number,
      deviceName: workerName,
      status,
      startedAt: claimedAt,
      endedAt,
    })),
    usage: order?.usage ?? null,
    priceMicro: order?.priceMicro ?? null,
    error: job.status === "canceled" ? (order?.error ?? job.error) : job.error,
  };
}

/** The row for somebody who sees no money. */
export function withoutPrice(row: Infer<typeof jobRow>): Infer<typeof jobRow> {
  return { ...row, priceMicro: null };
}
