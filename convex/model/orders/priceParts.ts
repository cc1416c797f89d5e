import { partsOf, type PriceParts } from "../../../app/money/price-list.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { factorsOfVersion } from "../models/priceVersions.ts";

/** The percents that make the percent of a job's price; null if the versions of its price are older than they. */
export async function pricePartsOf(
  ctx: QueryCtx,
  {
    organizationId,
    priceVersion = "",
    priority = "normal",
    dataClass,
    vectors,
    _creationTime: at,
  }: Doc<"orders">,
): Promise<PriceParts | null> {
  const [, version = "0"] = priceVersion.split(".");
  const factors = await factorsOfVersion(ctx, organizationId, Number(version));
  const kind = vectors === undefined ? "text" : "embedding";
  return factors === null ? null : partsOf(factors, { priority, kind, dataClass, at });
}
