import { type Infer, v } from "convex/values";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { recordCancel } from "../audit.ts";
import { cancelOrder, orderOf } from "../orders/orders.ts";
import { queue } from "../queue.ts";
import { furtherOrder } from "./votes.ts";
import { beginWait } from "./waits.ts";

/*
 * A call without an idempotency key that ends before its answer, because its client or we gave up, leaves its jobs behind for a
 * while. OpenAI's clients send such a request again by themselves, and then get these jobs instead of further ones. A call of
 * several jobs is known by its first one.
 */

/** How long a job is left, in ms. OpenAI's clients wait for at most 8 s before they send a request again. */
export const leftMs = 15_000;

/** Of a key's calls with an equal request under way, so many are looked at. */
const mostEqual = 20;

/** A job, and a hash of the request that asked for it. */
type LeftJob = { readonly jobId: string; readonly request: string };

/** Leaves a job whose call has ended. It is canceled after `leftMs` unless an equal request takes it up, or another call waits for it. */
export async function leaveJob(
  ctx: MutationCtx,
  apiKeyId: Id<"apiKeys">,
  { jobId, request }: LeftJob,
): Promise<void> {
  if (await isWaitedFor(ctx, apiKeyId, { jobId, request })) return;
  const leftId = await ctx.db.insert("leftCalls", { apiKeyId, request, jobId });
  await ctx.scheduler.runAfter(leftMs, internal.requests.endLeftCall, { leftId });
}

/** A request whose retry finds its job. */
export const callRequest = v.object({
  hash: v.string(),
  /** Whether the requester sends it again, since it got no answer. */
  isRetry: v.boolean(),
  /** The end of its wait. */
  until: v.number(),
});

/** The orders of a call's jobs, in their order, and its count as a waiting call. */
type TakenJobs = { readonly orders: readonly Doc<"orders">[]; readonly waitId: Id<"waits"> };

/**
 * The jobs of an equal request of the key that nobody waits for any more. A retry also finds jobs whose call still seems to wait:
 * its client gave up, and we have not noticed yet. Other equal requests are meant to be several jobs. Null: no such jobs. The call
 * counts as waiting at once, so that nobody else takes the jobs up.
 * @param submission its idempotency key. Submitted again, it finds the same jobs.
 * @param count the jobs of the call.
 */
export async function takeUpJobs(
  ctx: MutationCtx,
  { _id: apiKeyId, organizationId }: Doc<"apiKeys">,
  { hash: request, isRetry, until }: Infer<typeof callRequest>,
  submission: string | undefined,
  count: number,
): Promise<TakenJobs | null> {
  const waits = await waitsFor(ctx, apiKeyId, request);
  const known = waits.find((wait) => submission !== undefined && wait.submission === submission);
  if (known?.jobId !== undefined) {
    const orders = await ordersOfCall(ctx, known.jobId, count);
    return orders === null ? null : { orders, waitId: known._id };
  }
  const left = await ctx.db
    .query("leftCalls")
    .withIndex("by_request", (q) => q.eq("apiKeyId", apiKeyId).eq("request", request))
    .take(mostEqual);
  const [first] = left;
  // Calls that shared a job may have left it one after the other.
  for (const { _id, jobId } of left) if (jobId === first?.jobId) await ctx.db.delete("leftCalls", _id);
  const jobId = first?.jobId ?? (isRetry ? await openJob(ctx, apiKeyId, request) : null);
  if (jobId === null) return null;
  const orders = await ordersOfCall(ctx, jobId, count);
  if (orders === null) return null;
  const jobs = await Promise.all(
    orders.map(async (order) => await queue.status(ctx, organizationId, order.jobId)),
  );
  // A restart of the backend cancels jobs whose calls were cut off.
  if (jobs.some((job) => job === null || job.status === "canceled" || job.status === "expired")) return null;
  return {
    orders,
    waitId: await beginWait(ctx, apiKeyId, {
      until,
      jobId,
      request,
      ...(submission === undefined ? {} : { submission }),
    }),
  };
}

/** The orders of a call's jobs, by the first one. Null: not all of them exist. */
async function ordersOfCall(
  ctx: QueryCtx,
  first: string,
  count: number,
): Promise<readonly Doc<"orders">[] | null> {
  const order = await orderOf(ctx, first);
  if (order === null) return null;
  const further = await Promise.all(
    Array.from({ length: count - 1 }, async (_, at) => {
      return await furtherOrder(ctx, order, { of: first, index: at + 1 });
    }),
  );
  const orders = [order, ...further.filter((each) => each !== null)];
  return orders.length === count ? orders : null;
}

async function isWaitedFor(
  ctx: QueryCtx,
  apiKeyId: Id<"apiKeys">,
  { jobId, request }: LeftJob,
): Promise<boolean> {
  return (await waitsFor(ctx, apiKeyId, request)).some((wait) => wait.jobId === jobId);
}

async function waitsFor(ctx: QueryCtx, apiKeyId: Id<"apiKeys">, request: string): Promise<Doc<"waits">[]> {
  return await ctx.db
    .query("waits")
    .withIndex("by_request", (q) => q.eq("apiKeyId", apiKeyId).eq("request", request))
    .take(mostEqual);
}

/** The first job of the oldest equal request with a job that has not ended. */
async function openJob(ctx: QueryCtx, apiKeyId: Id<"apiKeys">, request: string): Promise<string | null> {
  const order = await ctx.db
    .query("orders")
    .withIndex("by_request", (q) => q.eq("request", request).eq("apiKeyId", apiKeyId))
    .first();
  return order === null ? null : (order.firstJob ?? order.jobId);
}

/** Cancels a left job and the others of its call, unless somebody has asked for them again. */
export async function endLeftCall(ctx: MutationCtx, leftId: Id<"leftCalls">, now: number): Promise<void> {
  const left = await ctx.db.get("leftCalls", leftId);
  if (left === null) return;
  const { apiKeyId, request, jobId } = left;
  await ctx.db.delete("leftCalls", leftId);
  if (await isWaitedFor(ctx, apiKeyId, { jobId, request })) return;
  const order = await orderOf(ctx, jobId);
  if (order === null) return;
  await cancelLeft(ctx, order, now);
  // Further jobs have numbers without a gap. Most calls have none.
  for (let index = 1; ; index += 1) {
    const further = await furtherOrder(ctx, order, { of: jobId, index });
    if (further === null) return;
    await cancelLeft(ctx, further, now);
  }
}

async function cancelLeft(ctx: MutationCtx, order: Doc<"orders">, now: number): Promise<void> {
  const outcome = await cancelOrder(ctx, order);
  if (outcome.kind === "canceled") await recordCancel(ctx, order, now, "the call ended before its answer");
}
