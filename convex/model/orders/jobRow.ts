import { attemptStatus, jobStatus, type JobView, priority } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import { visibleText } from "../../../app/format/visible.ts";
import { scopeOf } from "../../../app/people/rights.ts";
import type { QueryCtx } from "../../_generated/server.js";
import { may, type MemberCtx } from "../memberCalls.ts";
import { queue } from "../queue.ts";
import { disputeState, rating, usage } from "../validators/answers.ts";
import { ratingOf } from "./jobRating.ts";
import { type JobWait, jobWait, waitsOfJobs } from "./jobWaits.ts";
import { jobErrorOf, orderOf } from "./orders.ts";

/** Two devices at most have a job at once. More attempts would be hundreds of documents for a page of jobs. */
const listedAttempts = 2;

export const jobRow = v.object({
  jobId: v.string(),
  /** The requester's own name for the job: its idempotency key. */
  externalId: v.union(v.string(), v.null()),
  kind: v.string(),
  model: v.string(),
  status: jobStatus,
  wait: v.union(jobWait, v.null()),
  priority,
  /** Null for those who see no keys. */
  keyId: v.union(v.id("apiKeys"), v.null()),
  keyName: v.string(),
  submittedAt: v.number(),
  startedAt: v.union(v.number(), v.null()),
  finishedAt: v.union(v.number(), v.null()),
  /** The newest ones, at most two. */
  attempts: v.array(
    v.object({
      number: v.number(),
      /** The device's id. Null for those who do not see all devices, and after the device was deleted. */
      deviceId: v.union(v.string(), v.null()),
      deviceName: v.string(),
      status: attemptStatus,
      startedAt: v.number(),
      endedAt: v.union(v.number(), v.null()),
    }),
  ),
  usage: v.union(usage, v.null()),
  priceMicro: v.union(v.int64(), v.null()),
  /** Whether a device of the key's owner did it, so that it cost nothing. */
  ownJob: v.boolean(),
  error: v.union(v.object({ code: v.string(), message: v.string() }), v.null()),
  /** Of the answer, by its requester. `dispute`: null without one. */
  rated: v.union(v.object({ rating, dispute: v.union(disputeState, v.null()) }), v.null()),
});
export type JobRow = Infer<typeof jobRow>;

type Ctx = QueryCtx & MemberCtx;

/** Jobs as the console shows them: their keys, devices, times and prices, but never a prompt. */
export async function jobRowsOf(ctx: Ctx, jobs: readonly JobView[]): Promise<JobRow[]> {
  const waits = await waitsOfJobs(ctx, ctx.organizationId, jobs);
  return await Promise.all(jobs.map((job) => jobRowOf(ctx, job, waits.get(job.jobId) ?? null)));
}

async function jobRowOf(ctx: Ctx, job: JobView, wait: JobWait | null): Promise<JobRow> {
  const [order, rated, attempts] = await Promise.all([
    orderOf(ctx, job.jobId),
    job.status === "succeeded" ? ratingOf(ctx, job) : null,
    job.attempts === 0 ? [] : queue.attempts(ctx, ctx.organizationId, job.jobId, listedAttempts),
  ]);
  const key = order === null ? null : await ctx.db.get("apiKeys", order.apiKeyId);
  const seesDevices = scopeOf("devices.read", ctx.member.roles) === "all";
  return {
    jobId: job.jobId,
    externalId: job.externalId,
    kind: job.kind,
    model: order?.modelId ?? job.requirements.model ?? "",
    status: job.status,
    wait,
    priority: job.priority,
    keyId: may(ctx, "keys.read") ? (key?._id ?? null) : null,
    keyName: visibleText(key?.name ?? ""),
    submittedAt: job.submittedAt,
    startedAt: job.startedAt,
    finishedAt: job.finishedAt,
    attempts: attempts.map(({ number, worker, workerName, status, claimedAt, endedAt }) => ({
      number,
      deviceId: seesDevices ? worker : null,
      deviceName: visibleText(workerName),
      status,
      startedAt: claimedAt,
      endedAt,
    })),
    usage: order?.usage ?? null,
    priceMicro: may(ctx, "money.read") ? (order?.priceMicro ?? null) : null,
    ownJob: order?.ownJob ?? false,
    error: jobErrorOf(order, job),
    rated: rated === null ? null : { rating: rated.rating, dispute: rated.dispute ?? null },
  };
}
