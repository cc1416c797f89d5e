import { partsOf, type PricedJob, type PriceParts } from "../../../app/money/price-list.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { factorsOfVersion } from "../models/priceVersions.ts";

/** The percents that make the percent of a job's price; null if the versions of its price are older than they. */
export async function pricePartsOf(ctx: QueryCtx, order: Doc<"orders">): Promise<PriceParts | null> {
  const { organizationId, priceVersion = "" } = order;
  const [, version = "0"] = priceVersion.split(".");
  const factors = await factorsOfVersion(ctx, organizationId, Number(version));
  return factors === null ? null : partsOf(factors, pricedOf(order));
}

/** The facts of a job by which its percent is chosen. The hour is that of the request. */
export function pricedOf({
  priority = "normal",
  dataClass,
  vectors,
  _creationTime: at,
}: Doc<"orders">): PricedJob {
  return { priority, kind: vectors === undefined ? "text" : "embedding", dataClass, at };
}
