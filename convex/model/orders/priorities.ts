import type { Priority } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { isAbove } from "../../../app/jobs/priority.ts";
import { percentOf, withFactors } from "../../../app/money/price-list.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { checkPriority } from "../keys/keyRights.ts";
import { lowerReservation, raiseReservation, raiseTo } from "../ledger/reservations.ts";
import { factorsAt } from "../models/prices.ts";
import { queue } from "../queue.ts";
import { present, refuse } from "../refuse.ts";
import { holdBudgets } from "../usage/budgetStops.ts";
import { pricedOf } from "./priceParts.ts";

/** How long a change can be undone. */
const undoneWithinMs = 60_000;

/**
 * `not-queued`: a device has started the job, or it has ended. `at`: the moment of the change (ms epoch), which an undo names.
 */
export const prioritized = v.union(
  v.object({ kind: v.literal("changed"), at: v.number() }),
  v.object({ kind: v.literal("not-queued") }),
);

/**
 * Changes the priority of a job that no device has started. Beyond its highest priority until now it may cost more, which is
 * reserved; a lower one does not make it cheaper. The limits of its key count for admins, too: its key pays. Refuses: not_found,
 * priority_not_allowed, quota_exceeded.
 */
export async function setOrderPriority(
  ctx: MutationCtx,
  order: Doc<"orders">,
  priority: Priority,
  at: number,
): Promise<Infer<typeof prioritized>> {
  const {
    _id,
    organizationId,
    jobId,
    priority: highest = "high",
    round,
    pricePercent,
    reservedMicro,
  } = order;
  const key = present(await ctx.db.get("apiKeys", order.apiKeyId), "key of a job");
  checkPriority(key, priority);
  const before = await queue.status(ctx, organizationId, jobId);
  const { kind } = await queue.setPriority(ctx, organizationId, jobId, priority);
  if (kind === "not-found" || before === null) return refuse("not_found", "There is no such job.");
  if (kind === "not-queued") return { kind };
  if (isAbove(priority, highest)) {
    const factors = await factorsAt(ctx, organizationId, at);
    const pricePercent = percentOf(factors.value, pricedOf({ ...order, priority }));
    const priceVersion = withFactors(order.priceVersion ?? "0", factors.version);
    const stopped = await holdBudgets(ctx, key, raiseTo(order, pricePercent), at);
    if (stopped !== null) refuse(stopped.code, stopped.message);
    await raiseReservation(ctx, order, { pricePercent, priceVersion }, at);
    await ctx.db.patch("orders", _id, { priority });
  }
  await ctx.db.patch("orders", _id, {
    beforePriority: {
      at,
      round,
      priority: before.priority,
      attempts: before.attempts,
      ...(order.priority === undefined ? {} : { highest: order.priority }),
      ...(pricePercent === undefined ? {} : { pricePercent }),
      ...(order.priceVersion === undefined ? {} : { priceVersion: order.priceVersion }),
      reservedMicro,
    },
  });
  return { kind, at };
}

/** `too-late`: a device has the job, it has ended, it was changed again, or more than a minute has passed. */
export const undonePriority = v.object({ kind: literals("undone", "too-late") });

/**
 * Undoes a change of a job's priority, and of its price. Only while no device has taken the job since: so nobody gets ahead of
 * others for nothing.
 */
export async function undoOrderPriority(
  ctx: MutationCtx,
  order: Doc<"orders">,
  changedAt: number,
  now: number,
): Promise<Infer<typeof undonePriority>> {
  const { _id, organizationId, jobId, beforePriority: before } = order;
  if (before?.at !== changedAt || before.round !== order.round || now - changedAt > undoneWithinMs)
    return { kind: "too-late" };
  const job = await queue.status(ctx, organizationId, jobId);
  const isFree = job?.status === "waiting" || job?.status === "ready";
  // A device that took the job and gave it back was reached by the higher priority.
  if (!isFree || job.attempts !== before.attempts) return { kind: "too-late" };
  await queue.setPriority(ctx, organizationId, jobId, before.priority);
  await lowerReservation(ctx, order, before, now);
  await ctx.db.patch("orders", _id, { priority: before.highest, beforePriority: undefined });
  return { kind: "undone" };
}
