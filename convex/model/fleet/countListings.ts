import { type Infer, v } from "convex/values";
import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import type { ActionCtx, QueryCtx } from "../../_generated/server.js";
import { queue } from "../queue.ts";
import { countsRow } from "./counts.ts";

/*
 * Once a minute: lists the devices whose workers came or went without a call of theirs, and adds changed devices to the
 * organization's counts. Nothing here reads more than a batch, however large the fleet is.
 */

const perBatch = 50;
/** A change of a worker may be committed this much later than its time says. */
const overlapMs = 120_000;
/** An action, because a mutation that reads the changes of all devices would conflict with each of them. */
export async function followFleet(ctx: ActionCtx, organizationId: Id<"organizations">): Promise<void> {
  const { changedDevices, relistDevices } = internal.fleet.steps;
  const startedAt = Date.now();
  let cursor: string | null = null;
  do {
    const changed: Infer<typeof changedPage> = await ctx.runQuery(changedDevices, { organizationId, cursor });
    if (changed.deviceIds.length > 0) await ctx.runMutation(relistDevices, { deviceIds: changed.deviceIds });
    cursor = changed.next;
  } while (cursor !== null);
  for (let due = perBatch; due === perBatch;) {
    const deviceIds: Id<"devices">[] = await ctx.runQuery(internal.fleet.steps.dueDevices, {
      organizationId,
      now: startedAt,
    });
    if (deviceIds.length > 0) await ctx.runMutation(relistDevices, { deviceIds });
    due = deviceIds.length;
  }
  await countFleet(ctx, organizationId, startedAt);
  await ctx.runMutation(internal.fleet.steps.watchAttention, { organizationId });
}

/** Some devices whose concerns may have changed by time alone. */
export async function dueBatch(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  now: number,
): Promise<Id<"devices">[]> {
  const due = await ctx.db
    .query("deviceListings")
    .withIndex("by_recheck", (q) =>
      q.eq("organizationId", organizationId).gt("recheckAt", 0).lte("recheckAt", now),
    )
    .take(perBatch);
  return due.map(({ deviceId }) => deviceId);
}

/** @param readTo changes of workers up to then are listed. Null: as before. */
export async function countFleet(
  ctx: ActionCtx,
  organizationId: Id<"organizations">,
  readTo: number | null,
): Promise<void> {
  const { uncounted, countListings } = internal.fleet.steps;
  for (;;) {
    const listingIds: Id<"deviceListings">[] = await ctx.runQuery(uncounted, { organizationId });
    const isLast = listingIds.length < perBatch;
    await ctx.runMutation(countListings, { organizationId, listingIds, readTo: isLast ? readTo : null });
    if (isLast) return;
  }
}

/** Some devices whose workers changed, and the cursor of the next ones; null at the end. */
export const changedPage = v.object({
  deviceIds: v.array(v.id("devices")),
  next: v.union(v.string(), v.null()),
});

export async function changedBatch(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  cursor: string | null,
): Promise<Infer<typeof changedPage>> {
  const since = ((await countsRow(ctx, organizationId))?.readTo ?? 0) - overlapMs;
  const paginationOpts = { numItems: perBatch, cursor };
  const { page, isDone, continueCursor } = await queue.workers.changed(ctx, organizationId, {
    since,
    paginationOpts,
  });
  const deviceIds = page.flatMap(({ externalId }) => ctx.db.normalizeId("devices", externalId ?? "") ?? []);
  return { deviceIds, next: isDone ? null : continueCursor };
}

export async function uncountedListings(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Id<"deviceListings">[]> {
  const rows = await ctx.db
    .query("deviceListings")
    .withIndex("by_recount", (q) => q.eq("organizationId", organizationId).eq("recount", true))
    .take(perBatch);
  return rows.map(({ _id }) => _id);
}
