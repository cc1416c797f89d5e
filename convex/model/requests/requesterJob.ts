import { type JobView, priority } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { requestStatusOf } from "../../../app/jobs/states.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { findModel } from "../models/catalog.ts";
import { waitsOfJobs } from "../orders/jobWaits.ts";
import { orderOf } from "../orders/orders.ts";
import { queue } from "../queue.ts";
import { present, refuse } from "../refuse.ts";
import { requestStatus, usage } from "../validators.ts";

/** A job as the HTTP API shows it to its requester, without its request and its answer. Times are ms epoch. */
export const requesterJob = v.object({
  jobId: v.string(),
  kind: literals("chat", "completion", "embedding"),
  modelId: v.string(),
  sha256: v.string(),
  status: requestStatus,
  /** Why it has not started; null if it has, or if a device is about to take it. */
  waitsFor: v.union(
    literals("time", "job", "limit", "paused", "no-worker", "no-model", "no-match", "busy"),
    v.null(),
  ),
  priority,
  pricePercent: v.number(),
  submittedAt: v.number(),
  startedAt: v.union(v.number(), v.null()),
  finishedAt: v.union(v.number(), v.null()),
  attempts: v.number(),
  usage: v.union(usage, v.null()),
  priceMicro: v.union(v.int64(), v.null()),
  error: v.union(v.object({ code: v.string(), message: v.string() }), v.null()),
});
export type RequesterJob = Infer<typeof requesterJob>;

/** Refuses: not_found, also for a job that the queue has deleted. */
export async function requesterJobOf(ctx: QueryCtx, order: Doc<"orders">): Promise<RequesterJob> {
  const [job] = await requesterJobsOf(ctx, [order]);
  return job ?? refuse("not_found", "There is no such job. Jobs are deleted 90 days after their end.");
}

/** The jobs of a key, newest first, from before the job `after`. Deleted jobs are left out. Refuses: not_found (`after`). */
export async function requesterJobPage(
  ctx: QueryCtx,
  key: Doc<"apiKeys">,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<{ jobs: RequesterJob[]; last: string | null; isDone: boolean }> {
  const from = after === undefined ? null : await orderOf(ctx, after);
  if (after !== undefined && from?.apiKeyId !== key._id) {
    return refuse("not_found", "after: there is no such job.");
  }
  const orders = await ctx.db
    .query("orders")
    .withIndex("by_key", (q) => {
      const ofKey = q.eq("apiKeyId", key._id);
      return from === null ? ofKey : ofKey.lt("_creationTime", from._creationTime);
    })
    .order("desc")
    .take(limit + 1);
  const shown = orders.slice(0, limit);
  return {
    jobs: await requesterJobsOf(ctx, shown),
    last: shown.at(-1)?.jobId ?? null,
    isDone: orders.length <= limit,
  };
}

async function requesterJobsOf(ctx: QueryCtx, orders: readonly Doc<"orders">[]): Promise<RequesterJob[]> {
  const found = await Promise.all(
    orders.map(async (order) => ({
      order,
      job: await queue.status(ctx, order.organizationId, order.jobId),
    })),
  );
  const kept = found.flatMap(({ order, job }) => (job === null ? [] : [{ order, job }]));
  const [first] = kept;
  if (first === undefined) return [];
  const waits = await waitsOfJobs(
    ctx,
    first.order.organizationId,
    kept.map(({ job }) => job),
  );
  return await Promise.all(
    kept.map(async ({ order, job }) => await viewOf(ctx, order, job, waits.get(job.jobId)?.kind ?? null)),
  );
}

async function viewOf(
  ctx: QueryCtx,
  order: Doc<"orders">,
  job: JobView,
  waitsFor: RequesterJob["waitsFor"],
): Promise<RequesterJob> {
  const { modelId, organizationId, pricePercent = 100, priceMicro = null } = order;
  const { sha256 } = present(await findModel(ctx, organizationId, modelId), "model of an order");
  return {
    jobId: job.jobId,
    kind: kindOf(job),
    modelId,
    sha256,
    status: requestStatusOf(job.status),
    waitsFor,
    priority: job.priority,
    pricePercent,
    submittedAt: job.submittedAt,
    startedAt: job.startedAt,
    finishedAt: job.finishedAt,
    attempts: job.attempts,
    usage: order.usage ?? null,
    priceMicro,
    error: job.status === "canceled" ? (order.error ?? job.error) : job.error,
  };
}

/** The queue stores a kind as text. */
function kindOf({ kind }: JobView): RequesterJob["kind"] {
  if (kind === "chat" || kind === "completion" || kind === "embedding") return kind;
  throw new Error("a job of no known kind");
}
