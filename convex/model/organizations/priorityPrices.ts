import { changesText } from "../../../app/audit/changes.ts";
import { type PriorityPrices, priorityPricesMistake } from "../../../app/jobs/priority.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { factorsAt } from "../models/prices.ts";
import { addVersion } from "../models/priceVersions.ts";
import { refuse } from "../refuse.ts";

/** The percents of the models' prices that jobs cost at a moment (ms epoch), by their priority. */
export async function priorityPricesOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  at: number,
): Promise<PriorityPrices> {
  const { low, normal, high } = (await factorsAt(ctx, organizationId, at)).value;
  return { low, normal, high };
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
  const before = await priorityPricesOf(ctx, organizationId, by.at);
  const detail = changesText([
    ["low (%)", before.low, low],
    ["normal (%)", before.normal, normal],
    ["high (%)", before.high, high],
  ]);
  if (detail !== "") {
    const { value } = await factorsAt(ctx, organizationId, by.at);
    const factors = { ...value, ...priorityPrices };
    await addVersion(ctx, organizationId, { kind: "factors", factors }, { from: null, why: null }, by);
    await record(ctx, { organizationId, ...by, action: "prices.changed", subject: "priorities", detail });
  }
  return before;
}
