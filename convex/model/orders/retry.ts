import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { jobTimes } from "../../../app/jobs/limits.ts";
import { noRetryHelps } from "../../../app/jobs/mendable.ts";
import { isRestricted, restrictionOf } from "../../../app/keys/restriction.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { type Act, actorName } from "../audit.ts";
import { availableOf, hold } from "../ledger/holds.ts";
import { highestMicro, reserve } from "../ledger/reservations.ts";
import { findModel } from "../models/catalog.ts";
import { queue } from "../queue.ts";
import { holdBudgets } from "../usage/budgetStops.ts";
import { orderOf } from "./orders.ts";

/**
 * `gone`: the prompt was deleted. `quota-exceeded`: the key has too few credits for another round. `revoked`: the key was
 * revoked or has expired, so nobody could read the answer. `budget-used-up`: its budget, or its owner's, lets no more jobs in.
 * `restricted`: the key may send no such requests now. `model-retired`: no device has the model anymore. `call-ended`: it is part of a
 * call of several jobs that has ended, so no answer could change the call.
 */
export const retryOutcome = v.object({
  kind: literals(
    "ready",
    "gone",
    "not-dead",
    "quota-exceeded",
    "budget-used-up",
    "revoked",
    "restricted",
    "model-retired",
    "call-ended",
  ),
});

/**
 * Retries a dead letter and reserves for the job's next round. Dead letters must be retried here: the queue's own retry
 * makes no reservation, and `jobs.onFinal` then refuses the job's end. Refuses: draining (the deployment lacks the key for its text).
 */
export async function retryOrder(
  ctx: MutationCtx,
  order: Doc<"orders">,
  by: Act,
): Promise<Infer<typeof retryOutcome>> {
  const { organizationId, apiKeyId, jobId, reservedMicro } = order;
  const key = await ctx.db.get("apiKeys", apiKeyId);
  if (key?.revokedAt !== undefined || (key?.expiresAt ?? Infinity) <= by.at) return { kind: "revoked" };
  const restriction = key === null ? null : restrictionOf(key, by.at);
  if (isRestricted(restriction, order)) return { kind: "restricted" };
  if ((await findModel(ctx, organizationId, order.modelId))?.enabled === false)
    return { kind: "model-retired" };
  if (order.call !== undefined && (await ctx.db.get("calls", order.call))?.end !== undefined)
    return { kind: "call-ended" };
  const job = await queue.status(ctx, organizationId, jobId);
  if (job?.status !== "failed" && job?.status !== "expired") return { kind: "not-dead" };
  // The queue keeps the ciphertext of a text whose key was destroyed.
  if ((await queue.payload(ctx, organizationId, jobId)) === null) return { kind: "gone" };
  // Of many jobs that are retried at once, each must see the others' reservations.
  if ((await availableOf(ctx, apiKeyId)) < highestMicro(order)) return { kind: "quota-exceeded" };
  // If the retry is not made, the next filling of the portions gives the budget's credits back.
  if (key !== null && (await holdBudgets(ctx, key, reservedMicro, by.at)) !== null)
    return { kind: "budget-used-up" };
  const outcome = await queue.deadLetters.retry(ctx, organizationId, jobId, actorName(by.actor), {
    deadlineAt: by.at + jobTimes.usualMs,
  });
  if (outcome.kind !== "ready") return outcome;
  const round = order.round + 1;
  await hold(ctx, apiKeyId, reservedMicro);
  await reserve(ctx, { ...order, round }, by.at);
  await ctx.db.patch("orders", order._id, { round });
  return outcome;
}

/** A small batch, because each retry reads many rows. */
const perBatch = 25;

/**
 * Retries a batch of an organization's dead letters. `onlyMendable`: leaves out those whose request itself causes the error.
 * @returns the number of jobs that are ready again, and the cursor of the next batch; null at the end.
 */
export async function retryBatch(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  { cursor, onlyMendable }: { readonly cursor: string | null; readonly onlyMendable: boolean },
  by: Act,
): Promise<string | null> {
  const { page, isDone, continueCursor } = await queue.deadLetters.list(ctx, organizationId, {
    paginationOpts: { numItems: perBatch, cursor },
  });
  for (const { jobId, error } of page) {
    if (onlyMendable && noRetryHelps(error) !== null) continue;
    const order = await orderOf(ctx, jobId);
    if (order !== null) await retryOrder(ctx, order, by);
  }
  return isDone ? null : continueCursor;
}
