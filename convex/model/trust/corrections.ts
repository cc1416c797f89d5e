import { ConvexError } from "convex/values";
import { internal } from "../../_generated/api.js";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { addWrongLine, noteWrongLine } from "../batches/wrongLines.ts";
import { orderOf } from "../orders/orders.ts";
import { present, type Refusal } from "../refuse.ts";
import { tellWebhooks } from "../webhooks/deliveries.ts";
import { giveOutrunBack, owedToKey } from "./giveBack.ts";

/*
 * A wrong answer was delivered before it is found. If its requester has got the price back, the request is answered again, at the usual
 * price, by another device.
 */

/**
 * Marks an answer as wrong, and has its request answered again soon. Call it once the pay of its device is given back as far as it can be.
 */
export async function beginCorrection(ctx: MutationCtx, order: Doc<"orders">, at: number): Promise<void> {
  await ctx.db.patch("orders", order._id, { foundWrong: { at } });
  await addWrongLine(ctx, order);
  await giveOutrunBack(ctx, present(await ctx.db.get("orders", order._id), "order of a wrong answer"), at);
  await ctx.scheduler.runAfter(0, internal.trust.corrections.correct, { jobId: order.jobId });
}

/** Some refusals pass, such as that of a full queue or of a budget. Then the next try comes after a time between these. */
const retryMs = { least: 60_000, most: 3_600_000 };

/**
 * Submits the correction of a wrong answer, but only once. If it is refused, the reason is noted. If the refusal may pass, as when the
 * queue is full or a budget is used up, this runs again later, until the text of the request is deleted or nearly so.
 */
export async function correct(ctx: MutationCtx, jobId: string, now: number): Promise<void> {
  const order = await orderOf(ctx, jobId);
  if (order?.foundWrong === undefined) return;
  const { at, correctedBy, notCorrected, postponed } = order.foundWrong;
  if (correctedBy !== undefined || notCorrected !== undefined) return;
  const note = async (outcome: Omit<NonNullable<Doc<"orders">["foundWrong"]>, "at">): Promise<void> => {
    await ctx.db.patch("orders", order._id, { foundWrong: { at, ...outcome } });
    await noteWrongLine(ctx, order, outcome);
  };
  if ((await owedToKey(ctx, order)) > 0n) {
    await note({ notCorrected: "Its price could not be given back, so another answer would be paid twice." });
    return;
  }
  try {
    // A refusal undoes what the submission has written, and nothing else.
    await note({ correctedBy: await ctx.runMutation(internal.trust.corrections.submit, { jobId }) });
  } catch (thrown) {
    if (!(thrown instanceof ConvexError)) throw thrown;
    const { message, retryAfterMs } = thrown.data as Refusal;
    if (retryAfterMs === undefined) {
      const before = postponed === undefined ? {} : { postponedFor: postponed.why };
      await note({ notCorrected: message, ...before });
      return;
    }
    const nextAt = now + Math.min(Math.max(retryMs.least, retryAfterMs), retryMs.most);
    await note({ postponed: { why: message, nextAt } });
    await ctx.scheduler.runAt(nextAt, internal.trust.corrections.correct, { jobId });
  }
}

/** Tells webhooks that a wrong answer has a correction. Call it in the transaction that ends the correction's job. */
export async function tellCorrection(
  ctx: MutationCtx,
  { organizationId, apiKeyId, jobId, corrects }: Doc<"orders">,
  now: number,
): Promise<void> {
  if (corrects === undefined) return;
  const data = { id: corrects, corrected_by: jobId };
  await tellWebhooks(ctx, organizationId, apiKeyId, () => [{ type: "job.corrected", data }], now);
}
