import { type FinalEvent, finalEvent } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import { parse } from "convex-helpers/validators";
import { assertNever } from "../app/assert-never.ts";
import type { Usage } from "../app/jobs/chat.ts";
import type { Doc } from "./_generated/dataModel.js";
import { internalMutation, type MutationCtx } from "./_generated/server.js";
import { releaseReservation, settle } from "./model/ledger/reservations.ts";
import { orderOf } from "./model/orders/orders.ts";
import { boundedInteger, present, refuse } from "./model/refuse.ts";
import { keptSignature } from "./model/requests/signature.ts";
import { reply, usage as usageValidator } from "./model/validators.ts";

/**
 * Pays the device of a job that ended, or releases the reservation. The queue calls it in the transaction that ends the
 * job. The device gets the result as `reply`; an error undoes the job's end.
 */
export const onFinal = internalMutation({
  args: finalEvent.fields,
  returns: v.union(reply, v.null()),
  handler: async (ctx, event) => await close(ctx, event, Date.now()),
});

type Reply = Infer<typeof reply>;

/** The report that work.complete adds to an answer. `vectors`: their number; absent for text. */
const report = v.object({
  usage: usageValidator,
  vectors: v.optional(v.number()),
  signature: keptSignature,
});

/**
 * Closes the order of a job that ended: pays the device for an answer, or releases the reservation. It also checks the
 * answer's kind and token counts, since the order is read here anyway. Refuses (invalid) wrong ones; the job then does not end.
 */
async function close(ctx: MutationCtx, event: FinalEvent, at: number): Promise<Reply | null> {
  const order = present(await orderOf(ctx, event.jobId), "order of a job");
  if (event.round !== order.round)
    throw new Error(`job ${event.jobId} is not in round ${String(event.round)}`);
  switch (event.outcome) {
    case "succeeded":
      return await pay(ctx, order, event, at);
    case "failed":
    case "canceled":
    case "expired":
      await releaseReservation(ctx, order, event.outcome, at);
      return null;
    default:
      return assertNever(event.outcome);
  }
}

async function pay(ctx: MutationCtx, order: Doc<"orders">, event: FinalEvent, at: number): Promise<Reply> {
  const { usage, vectors, signature } = parse(report, event.report);
  if (signature.jobId !== event.jobId) refuse("invalid", "The result was signed for another job.");
  if (vectors !== order.vectors) refuse("invalid", "The answer does not fit the request.");
  checkUsage(usage, order.most);
  const deviceId = present(ctx.db.normalizeId("devices", event.worker ?? ""), "device of a finished job");
  const earnedMicro = await settle(ctx, order, deviceId, usage, at);
  await ctx.db.patch("orders", order._id, { priceMicro: earnedMicro, usage });
  return { earnedMicro, price: order.price };
}

/** Bounds the counts, because the requester reads them even if the device is paid less. */
function checkUsage(usage: Usage, most: Usage): void {
  boundedInteger(usage.promptTokens, "promptTokens", 0, most.promptTokens);
  boundedInteger(usage.completionTokens, "completionTokens", 0, most.completionTokens);
}
