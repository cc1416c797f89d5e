import { changesText } from "../../../../app/audit/changes.ts";
import { isPlacedSo, placementOf } from "../../../../app/devices/placement.ts";
import { internal } from "../../../_generated/api.js";
import type { Doc, Id } from "../../../_generated/dataModel.js";
import type { MutationCtx } from "../../../_generated/server.js";
import { type Act, record } from "../../audit.ts";
import { listingOf, relist, stableFactsOf } from "../listing.ts";
import { placeByRules, rulesOf, setPlacement } from "../placement.ts";

const perBatch = 25;

/**
 * Places the next devices by the present rules, after a change of them. A batch reads the list and changes only the devices that
 * belong elsewhere. @returns the next batch's cursor; null at the end.
 */
export async function placeBatch(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  cursor: string | null,
): Promise<string | null> {
  const rules = await rulesOf(ctx, organizationId);
  // Devices keep their names while they are placed, so none is skipped.
  const { page, isDone, continueCursor } = await ctx.db
    .query("deviceListings")
    .withIndex("by_name", (q) => q.eq("organizationId", organizationId))
    .paginate({ cursor, numItems: perBatch });
  for (const listing of page) {
    if (isPlacedSo(listing, placementOf(listing, rules))) continue;
    const device = await ctx.db.get("devices", listing.deviceId);
    if (device === null) continue;
    await placeByRules(ctx, device, stableFactsOf(listing), rules);
    await relist(ctx, device._id);
  }
  return isDone ? null : continueCursor;
}

/** Lets the rules place a device that a person put into its groups. */
export async function releaseToRules(ctx: MutationCtx, device: Doc<"devices">, by: Act): Promise<void> {
  const { _id: subject, organizationId, groups = [] } = device;
  const listing = await listingOf(ctx, subject);
  if (listing === null) return;
  await setPlacement(ctx, device, { groups: [], placedBy: undefined }, by.actor);
  const { placedBy: _placedBy, ...free } = device;
  const rules = await rulesOf(ctx, organizationId);
  const { groups: into = [] } = await placeByRules(
    ctx,
    { ...free, groups: [] },
    stableFactsOf(listing),
    rules,
  );
  await relist(ctx, subject);
  await ctx.scheduler.runAfter(0, internal.fleet.steps.countFleet, { organizationId });
  const detail = changesText([["groups", groups, into]]);
  await record(ctx, { organizationId, ...by, action: "device.released-to-rules", subject, detail });
}
