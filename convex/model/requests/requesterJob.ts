import { type JobView, priority } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { requestStatusOf } from "../../../app/jobs/states.ts";
import { workKinds } from "../../../app/jobs/work.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { countsRow } from "../fleet/counts.ts";
import { findModel } from "../models/catalog.ts";
import { waitsOfJobs } from "../orders/jobWaits.ts";
import { jobErrorOf, orderOf, refuseDeletedJob } from "../orders/orders.ts";
import { queue } from "../queue.ts";
import { present, refuse } from "../refuse.ts";
import { foundWrong, jobEnergy, usage } from "../validators/answers.ts";
import { deviceNeeds } from "../validators/keys.ts";
import { price } from "../validators/prices.ts";
import { callForm, requestStatus } from "../validators/requests.ts";
import { echoOfJob } from "./echo.ts";
import { needsIn } from "./needs.ts";
import { watch, watchView } from "./watch.ts";

const outlook = v.object({
  ahead: v.union(v.object({ jobs: v.number(), exact: v.boolean() }), v.null()),
  expectedMs: v.union(v.number(), v.null()),
  workers: v.number(),
  /** The organization's devices by their state, if none donates. */
  notDonating: v.union(
    v.object({
      offline: v.number(),
      standby: v.number(),
      paused: v.number(),
      outdated: v.number(),
      pending: v.number(),
    }),
    v.null(),
  ),
});

/** A job as the HTTP API shows it to its requester, without its request and its answer. Times are ms epoch. */
export const requesterJob = v.object({
  jobId: v.string(),
  kind: literals(...workKinds),
  /** The form in which its call answers; null: the usual one of its kind. */
  callForm: v.union(callForm, v.null()),
  modelId: v.string(),
  /** Requirements on its device, of its key and its call together. */
  requires: deviceNeeds,
  status: requestStatus,
  /** Why it has not started; null if it has, or if a device is about to take it. */
  waitsFor: v.union(
    literals("time", "job", "limit", "paused", "no-worker", "no-model", "no-match", "busy"),
    v.null(),
  ),
  /** How its wait looks; null once it does not wait, and in lists. */
  outlook: v.union(outlook, v.null()),
  priority,
  /** Its price is that of its tokens, times the percent. */
  price,
  pricePercent: v.number(),
  priceVersion: v.string(),
  submittedAt: v.number(),
  startedAt: v.union(v.number(), v.null()),
  finishedAt: v.union(v.number(), v.null()),
  attempts: v.number(),
  usage: v.union(usage, v.null()),
  energy: v.union(jobEnergy, v.null()),
  priceMicro: v.union(v.int64(), v.null()),
  error: v.union(v.object({ code: v.string(), message: v.string() }), v.null()),
  /** That checks found its answer wrong; null if they did not. */
  foundWrong: v.union(foundWrong, v.null()),
  /** The job whose wrong answer it replaces. */
  corrects: v.union(v.string(), v.null()),
  /** Its call, if that is answered later and is several jobs. */
  call: v.union(v.id("calls"), v.null()),
});
export type RequesterJob = Infer<typeof requesterJob>;

/** Refuses: not_found, also for a job that the queue has deleted. */
export async function requesterJobOf(ctx: QueryCtx, order: Doc<"orders">): Promise<RequesterJob> {
  const [job = refuseDeletedJob()] = await requesterJobsOf(ctx, [order]);
  return job.status === "queued" ? await withOutlook(ctx, order, job) : job;
}

/** Adds how the wait of a job looks to a queued one, or to its call. */
export async function withOutlook(
  ctx: QueryCtx,
  order: Doc<"orders">,
  job: RequesterJob,
): Promise<RequesterJob> {
  const seen = await queue.outlook(ctx, order.organizationId, order.jobId);
  if (seen === null) return { ...job, outlook: null };
  const notDonating = job.waitsFor === "no-worker" ? await notDonatingOf(ctx, order.organizationId) : null;
  return { ...job, outlook: { ...seen, notDonating } };
}

/** Null while no devices are counted. */
async function notDonatingOf(ctx: QueryCtx, organizationId: Doc<"orders">["organizationId"]) {
  const row = await countsRow(ctx, organizationId);
  if (row === null) return null;
  const { offline, standby, paused, outdated, pending } = row.states;
  return { offline, standby, paused, outdated, pending };
}

/**
 * A job's end, and how to answer with it. `model`: the file that did it, and its context. `echo`: the fields of its request that a
 * response repeats, as JSON; null for other jobs, and once its payload is deleted.
 */
export const jobResult = v.object({
  job: requesterJob,
  model: v.object({ sha256: v.string(), contextTokens: v.number() }),
  view: watchView,
  echo: v.union(v.string(), v.null()),
});

/** Refuses: not_found, also for a job that the queue has deleted. */
export async function jobResultOf(ctx: QueryCtx, order: Doc<"orders">): Promise<Infer<typeof jobResult>> {
  const [job, view, model, echo] = await Promise.all([
    requesterJobOf(ctx, order),
    watch(ctx, order, undefined),
    findModel(ctx, order.organizationId, order.modelId),
    echoOfJob(ctx, order),
  ]);
  const { sha256, contextTokens } = present(model, "model of an order");
  return { job, model: { sha256, contextTokens }, view, echo: echo?.json ?? null };
}

/** The jobs of a key, newest first, from before the job `after`. Deleted jobs are left out. Refuses: not_found (`after`). */
export async function requesterJobPage(
  ctx: QueryCtx,
  key: Doc<"apiKeys">,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<{ jobs: RequesterJob[]; last: string | null; isDone: boolean }> {
  const { orders, ...page } = await orderPage(ctx, key, { limit, after });
  return { jobs: await requesterJobsOf(ctx, orders), ...page };
}

/** The orders of a key, newest first, from before the job `after`. Refuses: not_found (`after`). */
export async function orderPage(
  ctx: QueryCtx,
  key: Doc<"apiKeys">,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<{ orders: Doc<"orders">[]; last: string | null; isDone: boolean }> {
  const from = after === undefined ? null : await orderOf(ctx, after);
  if (after !== undefined && from?.apiKeyId !== key._id) {
    return refuse("not_found", "after: there is no such job.", "after");
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
    orders: shown,
    last: shown.at(-1)?.jobId ?? null,
    isDone: orders.length <= limit,
  };
}

/** Jobs without their outlooks. Deleted ones are left out. */
export async function requesterJobsOf(
  ctx: QueryCtx,
  orders: readonly Doc<"orders">[],
): Promise<RequesterJob[]> {
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
  return kept.map(({ order, job }) => viewOf(order, job, waits.get(job.jobId)?.kind ?? null));
}

function viewOf(order: Doc<"orders">, job: JobView, waitsFor: RequesterJob["waitsFor"]): RequesterJob {
  const { modelId, price: of, pricePercent = 100, priceVersion = "0.0", priceMicro = null } = order;
  return {
    jobId: job.jobId,
    kind: kindOf(job),
    callForm: order.callForm ?? null,
    modelId,
    requires: needsIn(job.requirements, order.dataClass),
    status: requestStatusOf(job.status),
    waitsFor,
    outlook: null,
    priority: job.priority,
    price: of,
    pricePercent,
    priceVersion,
    submittedAt: job.submittedAt,
    startedAt: job.startedAt,
    finishedAt: job.finishedAt,
    attempts: job.attempts,
    usage: order.usage ?? null,
    energy: order.energy ?? null,
    priceMicro,
    error: jobErrorOf(order, job),
    foundWrong: order.foundWrong ?? null,
    corrects: order.corrects ?? null,
    call: order.call ?? null,
  };
}

/** The queue stores a kind as text. */
function kindOf({ kind }: JobView): RequesterJob["kind"] {
  const known = workKinds.find((each) => each === kind);
  if (known === undefined) throw new Error("a job of no known kind");
  return known;
}
