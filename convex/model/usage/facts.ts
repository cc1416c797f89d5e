import type { Infer } from "convex/values";
import { changesText } from "../../../app/audit/changes.ts";
import type { ModelTokens } from "../../../app/statistics/model-tokens.ts";
import { noFacts } from "../../../app/usage/comparison.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { boundedText, refuse } from "../refuse.ts";
import type { usageFacts } from "../validators/statistics.ts";

type Facts = Infer<typeof usageFacts>;

/** More prices than a catalog has models. */
const mostPrices = 100;
const mostPrice = 1_000_000;
const mostWatts = 10_000;
const mostGrams = 5_000;

/** The prices and figures that an organization compares its usage with. */
export async function factsOf(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<Facts> {
  const row = await rowOf(ctx, organizationId);
  if (row === null) return noFacts;
  const { cloudPrices, currency, watts, gramsPerKwh } = row;
  return { cloudPrices, currency, watts, gramsPerKwh };
}

/**
 * The same for somebody who is shown some work only: of the prices, those of its models.
 * @param models of the work.
 */
export async function factsForModels(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  models: readonly ModelTokens[],
): Promise<Facts> {
  const facts = await factsOf(ctx, organizationId);
  const worked = new Set(models.map(({ subject }) => subject));
  return { ...facts, cloudPrices: facts.cloudPrices.filter(({ modelId }) => worked.has(modelId)) };
}

/** Replaces all of it. Refuses: invalid. */
export async function setFacts(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  wanted: Facts,
  by: Act,
): Promise<void> {
  const facts = checked(wanted);
  const row = await rowOf(ctx, organizationId);
  const detail = changesOf(row ?? noFacts, facts);
  if (row === null) await ctx.db.insert("usageFacts", { organizationId, ...facts });
  else await ctx.db.replace("usageFacts", row._id, { organizationId, ...facts });
  await record(ctx, {
    organizationId,
    ...by,
    action: "usage-facts.changed",
    subject: organizationId,
    detail,
  });
}

async function rowOf(ctx: QueryCtx, organizationId: Id<"organizations">) {
  return await ctx.db
    .query("usageFacts")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .unique();
}

function checked({ cloudPrices, currency, watts, gramsPerKwh }: Facts): Facts {
  if (cloudPrices.length > mostPrices) refuse("invalid", "There are too many prices.");
  const models = new Set(cloudPrices.map(({ modelId }) => modelId));
  if (models.size < cloudPrices.length) refuse("invalid", "A model has two prices.");
  for (const { modelId, prompt, completion } of cloudPrices) {
    boundedText(modelId, "A model's name", 200);
    for (const price of [prompt, completion]) bounded(price, "A price", mostPrice);
  }
  if (cloudPrices.length > 0) boundedText(currency, "The currency", 10);
  if (watts !== null) bounded(watts, "The power", mostWatts);
  if (Array.isArray(gramsPerKwh) && gramsPerKwh.length !== 24)
    refuse("invalid", "The carbon intensity has to be one number, or 24 for the hours of the day.");
  for (const grams of [gramsPerKwh ?? []].flat()) bounded(grams, "The carbon intensity", mostGrams);
  return { cloudPrices, currency: currency.trim(), watts, gramsPerKwh };
}

function bounded(value: number, noun: string, most: number): void {
  if (Number.isFinite(value) && value >= 0 && value <= most) return;
  refuse("invalid", `${noun} must be a number from 0 to ${String(most)}.`);
}

function gramsText({ gramsPerKwh }: Facts): number | string | null {
  return Array.isArray(gramsPerKwh) ? gramsPerKwh.join(", ") : gramsPerKwh;
}

function changesOf(before: Facts, after: Facts): string {
  const prices = ({ cloudPrices, currency }: Facts): string[] =>
    cloudPrices.map(
      ({ modelId, prompt, completion }) =>
        `${modelId} ${String(prompt)} and ${String(completion)} ${currency} per million tokens`,
    );
  return changesText([
    ["prices of a cloud", prices(before), prices(after)],
    ["power (W)", before.watts, after.watts],
    ["carbon (g CO2 per kWh)", gramsText(before), gramsText(after)],
  ]);
}
