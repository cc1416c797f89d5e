import { jobStatus, type JobView } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { queue } from "../queue.ts";
import { owned, refuse } from "../refuse.ts";

/** The order of a job; null if this app did not submit it. */
export async function orderOf(ctx: QueryCtx, jobId: string): Promise<Doc<"orders"> | null> {
  return await ctx.db
    .query("orders")
    .withIndex("by_job", (q) => q.eq("jobId", jobId))
    .unique();
}

/** The order of an organization's job. Refuses: not_found, also for another organization's. */
export async function ownedOrder(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  jobId: string,
): Promise<Doc<"orders">> {
  return owned(await orderOf(ctx, jobId), organizationId, "job");
}

type EndedJob = Pick<JobView, "status" | "error">;

/** Why a job failed. If the app itself canceled it, its order says why. */
export function jobErrorOf(order: Pick<Doc<"orders">, "error"> | null, { status, error }: EndedJob) {
  return status === "canceled" ? (order?.error ?? error) : error;
}

/** Refuses (not_found) a job that the queue has deleted. Its order is kept longer, and then in an archive. */
export function refuseDeletedJob(): never {
  return refuse("not_found", "There is no such job. Jobs are deleted 90 days after their end.");
}

/** An order whose job has ended: it ends with no call, and no retry finds it. */
export const endedCall = { endsWithCall: undefined, request: undefined, firstJob: undefined } as const;

const canceledAtOnce = 50;

/**
 * Cancels jobs whose calls were cut off by a restart of the backend. Call it before new calls come in, until it returns false.
 * @returns whether there may be more.
 */
export async function cancelCutOff(ctx: MutationCtx): Promise<boolean> {
  const orders = await ctx.db
    .query("orders")
    .withIndex("by_call", (q) => q.eq("endsWithCall", true))
    .take(canceledAtOnce);
  for (const order of orders) {
    const { kind } = await queue.cancel(ctx, order.organizationId, order.jobId);
    if (kind !== "canceled") await ctx.db.patch("orders", order._id, endedCall);
  }
  return orders.length === canceledAtOnce;
}

export const canceled = v.union(
  v.object({ kind: v.literal("canceled") }),
  v.object({ kind: v.literal("already-final"), status: jobStatus }),
);

/** Cancels an unfinished job and releases its reservation. Its device stops. Refuses: not_found. */
export async function cancelOrder(
  ctx: MutationCtx,
  { organizationId, jobId }: Doc<"orders">,
): Promise<Infer<typeof canceled>> {
  const outcome = await queue.cancel(ctx, organizationId, jobId);
  // The queue deletes a job some time after its end, and orders stay longer.
  return outcome.kind === "not-found" ? refuse("not_found", "There is no such job.") : outcome;
}

/** The key's part of the price of its job. Zero if nothing was paid. */
export function paidByKey({ priceMicro = 0n, coveredMicro = 0n }: Doc<"orders">): bigint {
  return priceMicro - coveredMicro;
}
