import type { FinalEvent } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import { parse } from "convex-helpers/validators";
import { assertNever } from "../../../app/assert-never.ts";
import type { Usage } from "../../../app/jobs/chat.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { releaseReservation, settle } from "../ledger/reservations.ts";
import { present } from "../load.ts";
import { boundedInteger, refuse } from "../refuse.ts";
import { type price, usage as usageValidator } from "../validators.ts";
import { orderOf } from "./orderOf.ts";

/** What a device is told of its pay: how much, and per token. */
type Reply = { earnedMicro: bigint; price: Infer<typeof price> };

/** What work.complete reports of an answer. `vectors`: how many it has; left out for text. */
const report = v.object({ usage: usageValidator, vectors: v.optional(v.number()) });

/**
 * Closes an order with its job: a job that was done is paid to its device, every other end gives the reservation back.
 * An answer of another kind, and counts of tokens out of bounds, are refused here, where the order is read in any case; the job stays as it was.
 */
export async function close(ctx: MutationCtx, event: FinalEvent, at: number): Promise<Reply | null> {
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
  const { usage, vectors } = parse(report, event.report);
  if (vectors !== order.vectors) refuse("invalid", "The answer is not one to what was asked for.");
  checkUsage(usage, order.most);
  const deviceId = present(ctx.db.normalizeId("devices", event.worker ?? ""), "device of a job that is done");
  const earnedMicro = await settle(ctx, order, deviceId, usage, at);
  await ctx.db.patch("orders", order._id, { priceMicro: earnedMicro, usage });
  return { earnedMicro, price: order.price };
}

/** The most that a true count can say: the requester reads these numbers, whatever the device is paid. */
function checkUsage(usage: Usage, most: Usage): void {
  boundedInteger(usage.promptTokens, "promptTokens", 0, most.promptTokens);
  boundedInteger(usage.completionTokens, "completionTokens", 0, most.completionTokens);
}
