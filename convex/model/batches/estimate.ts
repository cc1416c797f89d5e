import { type Infer, v } from "convex/values";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { inputFile } from "../files/files.ts";
import { openPart, openParts, refuseDestroyed } from "../files/seals.ts";
import { dataClassesOf } from "../keys/dataClasses.ts";
import { catalogOf } from "../models/catalog.ts";
import { factorsAt, priceAt } from "../models/prices.ts";
import { checkNeeds, needsOf } from "../requests/needs.ts";
import { modelTotals } from "../statistics/rollUp.ts";
import { price, priceFactors } from "../validators/prices.ts";

/** A file, and what its requests cost. `meanAnswer`: tokens of an answer until now; null: none is known. */
export const batchFacts = v.object({
  parts: v.array(openPart),
  bytes: v.number(),
  factors: priceFactors,
  /** The data class of its requests. */
  dataClass: v.optional(v.string()),
  models: v.array(v.object({ modelId: v.string(), price, meanAnswer: v.union(v.number(), v.null()) })),
});
export type BatchFacts = Infer<typeof batchFacts>;

/**
 * The facts that the cost of a batch depends on. Refuses: not_found (the file), invalid (it has answers of a batch, or was deleted with the data
 * key), requirements_not_allowed, requirements_unmet.
 */
export async function factsOf(
  ctx: QueryCtx,
  key: Doc<"apiKeys">,
  { fileId, requires }: { readonly fileId: string; readonly requires?: Doc<"batches">["requires"] },
): Promise<BatchFacts> {
  const { organizationId } = key;
  const now = Date.now();
  const [file, models, factors, totals] = await Promise.all([
    inputFile(ctx, key, fileId),
    catalogOf(ctx, organizationId),
    factorsAt(ctx, organizationId, now),
    modelTotals(ctx, organizationId),
  ]);
  const { bytes } = file;
  const { needs, dataClass } = needsOf(key, requires, await dataClassesOf(ctx, organizationId));
  await checkNeeds(ctx, organizationId, needs);
  const parts = (await openParts(ctx, file.parts)) ?? refuseDestroyed();
  const meanAnswerOf = (modelId: string): number | null => {
    const tally = totals.find(({ subject }) => subject === modelId)?.tally;
    return tally === undefined || tally.succeeded === 0 ? null : tally.completionTokens / tally.succeeded;
  };
  return {
    parts,
    bytes,
    factors: factors.value,
    ...(dataClass === undefined ? {} : { dataClass }),
    models: models.map((model) => ({
      modelId: model.modelId,
      price: priceAt(model, now).value,
      meanAnswer: meanAnswerOf(model.modelId),
    })),
  };
}
