import type { Infer } from "convex/values";
import { equalPrices } from "../../../app/jobs/priority.ts";
import { validAt, type Versioned } from "../../../app/money/price-list.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { present } from "../refuse.ts";
import type { price, priceFactors } from "../validators/prices.ts";

type PriceFactors = Infer<typeof priceFactors>;

/** The price of a model at a moment (ms epoch). It needs no other row. Version 0: from before there were versions. */
export function priceAt(
  { priceSchedule = [], price: stored }: Doc<"models">,
  at: number,
): Versioned<Infer<typeof price>> {
  return validAt(priceSchedule, at) ?? { version: 0, from: 0, value: stored };
}

/** The percents of an organization at a moment (ms epoch). */
export async function factorsAt(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  at: number,
): Promise<Versioned<PriceFactors>> {
  const organization = present(await ctx.db.get("organizations", organizationId), "organization");
  return factorsIn(organization, at);
}

export function factorsIn(
  { factorSchedule = [], priorityPrices = equalPrices }: Doc<"organizations">,
  at: number,
): Versioned<PriceFactors> {
  const unversioned = { ...priorityPrices, text: 100, embedding: 100, hours: null };
  return validAt(factorSchedule, at) ?? { version: 0, from: 0, value: unversioned };
}
