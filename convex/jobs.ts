import { type FinalEvent, finalEvent } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import { parse } from "convex-helpers/validators";
import { assertNever } from "../app/assert-never.ts";
import { internal } from "./_generated/api.js";
import type { Doc } from "./_generated/dataModel.js";
import { internalMutation, type MutationCtx } from "./_generated/server.js";
import { shortestHeldMs } from "./model/devices/pastAttempts.ts";
import { releaseReservation, settle } from "./model/ledger/reservations.ts";
import { orderOf } from "./model/orders/orders.ts";
import { present } from "./model/refuse.ts";
import { forgetRunnerStops } from "./model/requests/restriction.ts";
import { reply, workReport } from "./model/validators.ts";

/**
 * Pays the device of a job that ended, or releases the reservation. The queue calls it in the transaction that ends the
 * job. The device gets the result as `reply`; an error undoes the job's end.
 */
export const onFinal = internalMutation({
  args: finalEvent.fields,
  returns: v.union(reply, v.null()),
  handler: async (ctx, event) => {
    if (isSuspicious(event)) {
      await ctx.scheduler.runAfter(0, internal.maintenance.judgeDevicesOf, { jobId: event.jobId });
    }
    return await close(ctx, event, Date.now());
  },
});

type Reply = Infer<typeof reply>;

/** Whether the end of the job may tell something about a device: one that failed or returned it, or held it for long. */
function isSuspicious({ failures = 0, returns = 0, outcome, heldMs = 0 }: FinalEvent): boolean {
  return failures + returns > 0 || (outcome === "canceled" && heldMs >= shortestHeldMs);
}

/** Closes the order of a job that ended: pays the device for an answer, or releases the reservation. */
async function close(ctx: MutationCtx, event: FinalEvent, at: number): Promise<Reply | null> {
  const order = present(await orderOf(ctx, event.jobId), "order of a job");
  if (event.round !== order.round)
    throw new Error(`job ${event.jobId} is not in round ${String(event.round)}`);
  switch (event.outcome) {
    case "succeeded":
      if ((event.failures ?? 0) > 0) await forgetRunnerStops(ctx, order);
      return await pay(ctx, order, event, at);
    case "failed":
    case "canceled":
    case "expired":
      await releaseReservation(ctx, order, event.outcome, at);
      if (order.endsWithCall !== undefined) {
        await ctx.db.patch("orders", order._id, { endsWithCall: undefined });
      }
      return null;
    default:
      return assertNever(event.outcome);
  }
}

async function pay(ctx: MutationCtx, order: Doc<"orders">, event: FinalEvent, at: number): Promise<Reply> {
  const { usage } = parse(workReport, event.report);
  const deviceId = present(ctx.db.normalizeId("devices", event.worker ?? ""), "device of a finished job");
  const earnedMicro = await settle(ctx, order, deviceId, usage, at);
  await ctx.db.patch("orders", order._id, {
    priceMicro: earnedMicro,
    usage,
    endsWithCall: undefined,
  });
  return { earnedMicro, price: order.price };
}
