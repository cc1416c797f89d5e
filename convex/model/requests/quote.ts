import { type Infer, v } from "convex/values";
import { priceOf } from "../../../app/money/credits.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { highestMicro } from "../ledger/reservations.ts";
import { modelTotals } from "../statistics/rollUp.ts";
import { usage } from "../validators/answers.ts";
import { price } from "../validators/prices.ts";
import { checkNew, prepare } from "./submit.ts";

/** The present price of a request that is not made. `expected`: the tokens of the likely price. Amounts are in micro-credits. */
export const quoteView = v.object({
  price,
  percent: v.number(),
  priceVersion: v.string(),
  expected: usage,
  expectedMicro: v.int64(),
  mostMicro: v.int64(),
  reservedMicro: v.int64(),
});

/**
 * The price of a request, if it were submitted now: if the answer is as long as the model's were until now, and at most. Refuses as
 * `prepare` and `checkNew`.
 */
export async function quoteOf(
  ctx: QueryCtx,
  key: Doc<"apiKeys">,
  asked: Pick<Parameters<typeof prepare>[2], "model" | "work" | "priority" | "requires">,
  now: number,
): Promise<Infer<typeof quoteView>> {
  const [prepared, totals] = await Promise.all([
    prepare(ctx, key, { ...asked, stream: false }, now),
    modelTotals(ctx, key.organizationId),
  ]);
  await checkNew(ctx, key, prepared, now);
  const { order, job } = prepared;
  const tally = totals.find(({ subject }) => subject === order.modelId)?.tally;
  const mean =
    tally === undefined || tally.succeeded === 0
      ? (job.size?.likelyOutput ?? order.most.completionTokens)
      : tally.completionTokens / tally.succeeded;
  const { pricePercent: percent = 100, priceVersion = "0.0", reservedPromptTokens = Infinity } = order;
  const expected = {
    promptTokens: Math.min(job.size?.input ?? reservedPromptTokens, reservedPromptTokens),
    completionTokens: Math.min(order.most.completionTokens, Math.round(mean)),
  };
  return {
    price: order.price,
    percent,
    priceVersion,
    expected,
    expectedMicro: priceOf({ ...order.price, percent }, expected),
    mostMicro: highestMicro(order),
    reservedMicro: order.reservedMicro,
  };
}
