import { jobStatus } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import { parse } from "convex-helpers/validators";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { queue } from "../queue.ts";
import { timing, usage, workReport } from "../validators/answers.ts";

/** A kind of device, without its name or its person. */
const deviceClass = v.object({
  platform: v.string(),
  gpu: v.boolean(),
  /** As it reported, rounded up to a power of two; null if it did not. */
  memoryGb: v.union(v.number(), v.null()),
});

/** How a job went. Times are milliseconds of the server's clock. */
export const measures = v.object({
  status: jobStatus,
  /** From the submission to the last device's claim; null before. */
  queuedMs: v.union(v.number(), v.null()),
  /** From that claim to the end; null before. */
  ranMs: v.union(v.number(), v.null()),
  attempts: v.number(),
  device: v.union(deviceClass, v.null()),
  usage: v.union(usage, v.null()),
  /** How long the device read the prompt and wrote the answer, as it reported. Null before the answer. */
  timing: v.union(timing, v.null()),
  priceMicro: v.union(v.int64(), v.null()),
});

/** How the job of an order went. Null once the queue has deleted it. */
export async function measuresOf(
  ctx: QueryCtx,
  { jobId, organizationId, usage: used, priceMicro }: Doc<"orders">,
): Promise<Infer<typeof measures> | null> {
  const job = await queue.status(ctx, organizationId, jobId);
  if (job === null) return null;
  const last = job.attempts === 0 ? undefined : (await queue.attempts(ctx, organizationId, jobId, 1)).at(-1);
  const claimedAt = last?.claimedAt ?? null;
  return {
    status: job.status,
    queuedMs: claimedAt === null ? null : claimedAt - job.submittedAt,
    ranMs: claimedAt === null || job.finishedAt === null ? null : job.finishedAt - claimedAt,
    attempts: job.attempts,
    device: last === undefined ? null : await classOf(ctx, organizationId, last.workerId),
    usage: used ?? null,
    timing: job.status === "succeeded" ? parse(workReport, job.report).timing : null,
    priceMicro: priceMicro ?? null,
  };
}

async function classOf(
  ctx: QueryCtx,
  scope: string,
  workerId: string,
): Promise<Infer<typeof deviceClass> | null> {
  const worker = await queue.workers.get(ctx, scope, workerId);
  const deviceId = ctx.db.normalizeId("devices", worker?.externalId ?? "");
  const device = deviceId === null ? null : await ctx.db.get("devices", deviceId);
  if (device === null) return null;
  const { gpu = false, memoryMb } = worker?.capabilities ?? {};
  const memoryGb = memoryMb === undefined ? null : 2 ** Math.ceil(Math.log2(Math.max(1, memoryMb / 1_024)));
  return { platform: device.platform, gpu, memoryGb };
}
