import { changesText } from "../../../app/audit/changes.ts";
import { equalPrices, type PriorityPrices, priorityPricesMistake } from "../../../app/jobs/priority.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { present, refuse } from "../refuse.ts";

/** The percents of the models' prices that jobs cost, by their priority. */
export async function priorityPricesOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<PriorityPrices> {
  const organization = present(await ctx.db.get("organizations", organizationId), "organization");
  return organization.priorityPrices ?? equalPrices;
}

/**
 * Sets them for jobs that are submitted or raised from now on. Refuses: invalid.
 * @returns the prices before, which undo the change.
 */
export async function setPriorityPrices(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  { low, normal, high }: PriorityPrices,
  by: Act,
): Promise<PriorityPrices> {
  const priorityPrices = { low, normal, high };
  const mistake = priorityPricesMistake(priorityPrices);
  if (mistake !== null) refuse("invalid", mistake);
  const before = await priorityPricesOf(ctx, organizationId);
  const detail = changesText([
    ["low (%)", before.low, low],
    ["normal (%)", before.normal, normal],
    ["high (%)", before.high, high],
  ]);
  if (detail !== "") {
    await ctx.db.patch("organizations", organizationId, { priorityPrices });
    await record(ctx, { organizationId, ...by, action: "prices.changed", subject: "priorities", detail });
  }
  return before;
}
