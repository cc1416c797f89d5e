import { type Infer, v } from "convex/values";
import { deviceStates } from "../../../app/statistics/metrics.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { ActionCtx, MutationCtx, QueryCtx } from "../../_generated/server.js";
import type { Owners } from "../memberCalls.ts";
import { queue } from "../queue.ts";
import { deviceCounts, type facetCount } from "../validators.ts";
import { countedOf } from "./listing.ts";

/*
 * Once a minute: lists the devices whose workers came or went without a call of theirs, and adds changed devices to the
 * organization's counts. Nothing here reads more than a batch, however large the fleet is.
 */

const perBatch = 50;
/** A change of a worker may be committed this much later than its time says. */
const overlapMs = 120_000;
/** Names beyond these are not counted. */
const maxNames = 500;
const maxOwn = 280;

type Counted = NonNullable<Doc<"deviceListings">["counted"]>;
type Facet = Infer<typeof facetCount>;

/** An action, because a mutation that reads the changes of all devices would conflict with each of them. */
export async function followFleet(ctx: ActionCtx, organizationId: Id<"organizations">): Promise<void> {
  const { changedDevices, relistDevices } = internal.maintenance;
  const startedAt = Date.now();
  let cursor: string | null = null;
  do {
    const changed: Infer<typeof changedPage> = await ctx.runQuery(changedDevices, { organizationId, cursor });
    if (changed.deviceIds.length > 0) await ctx.runMutation(relistDevices, { deviceIds: changed.deviceIds });
    cursor = changed.next;
  } while (cursor !== null);
  for (let due = perBatch; due === perBatch;) {
    const deviceIds: Id<"devices">[] = await ctx.runQuery(internal.maintenance.dueDevices, {
      organizationId,
      now: startedAt,
    });
    if (deviceIds.length > 0) await ctx.runMutation(relistDevices, { deviceIds });
    due = deviceIds.length;
  }
  await countFleet(ctx, organizationId, startedAt);
  await ctx.runMutation(internal.maintenance.watchAttention, { organizationId });
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
  const { uncounted, countListings } = internal.maintenance;
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

/** Counts listed devices by their present facts, in place of those that they were counted by. */
export async function countBatch(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  {
    listingIds,
    readTo,
  }: { readonly listingIds: readonly Id<"deviceListings">[]; readonly readTo: number | null },
): Promise<void> {
  const row = await countsRow(ctx, organizationId);
  // A row of an earlier version counts other devices.
  const tally = new Tally(row?.facets === undefined ? noDevices : row.states, row?.facets ?? []);
  for (const listingId of listingIds) {
    const listing = await ctx.db.get("deviceListings", listingId);
    if (listing?.organizationId !== organizationId || !listing.recount) continue;
    const counted = countedOf(listing);
    if (listing.counted !== undefined) tally.add(listing.counted, -1);
    tally.add(counted, 1);
    await ctx.db.patch("deviceListings", listingId, { counted, recount: false });
  }
  const next = {
    states: tally.states,
    facets: tally.facets,
    ...(readTo === null ? {} : { readTo }),
  };
  if (row === null) await ctx.db.insert("deviceCounts", { organizationId, ...next });
  else await ctx.db.patch("deviceCounts", row._id, next);
}

const noDevices = Object.fromEntries(deviceStates.map((state) => [state, 0])) as Infer<typeof deviceCounts>;

/** Devices added up by state, group, system and version. */
class Tally {
  readonly states: Infer<typeof deviceCounts>;
  readonly #facets: Map<string, Facet>;

  constructor(states: Infer<typeof deviceCounts>, facets: readonly Facet[]) {
    this.states = { ...states };
    this.#facets = new Map(facets.map((facet) => [keyOf(facet), facet]));
  }

  get facets(): Facet[] {
    return [...this.#facets.values()];
  }

  add(counted: Counted, by: 1 | -1): void {
    this.states[counted.state] += by;
    for (const named of facetsOf(counted)) {
      const key = keyOf(named);
      const devices = (this.#facets.get(key)?.devices ?? 0) + by;
      if (devices <= 0) this.#facets.delete(key);
      else if (this.#facets.has(key) || this.#facets.size < maxNames)
        this.#facets.set(key, { ...named, devices });
    }
  }
}

function facetsOf({ platform, version, groups, models, concerns }: Counted): Pick<Facet, "of" | "name">[] {
  return [
    { of: "platform", name: platform },
    { of: "version", name: version },
    ...groups.map((name) => ({ of: "group" as const, name })),
    ...(models ?? []).map((name) => ({ of: "model" as const, name })),
    ...(concerns ?? []).map((name) => ({ of: "concern" as const, name })),
  ];
}

function keyOf({ of, name }: Pick<Facet, "of" | "name">): string {
  return `${of} ${name}`;
}

async function countsRow(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"deviceCounts"> | null> {
  return await ctx.db
    .query("deviceCounts")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .unique();
}

export const fleetCounts = v.object({
  states: deviceCounts,
  /** Devices by group, system and version. */
  facets: v.array(v.object({ of: v.string(), name: v.string(), devices: v.number() })),
  /** The counts are of this moment (ms epoch). Null: nothing is counted yet. */
  at: v.union(v.number(), v.null()),
});

/** The same of some owners' devices, counted now. A few hundred are counted at most. */
export async function ownCounts(
  ctx: QueryCtx,
  owners: NonNullable<Owners>,
): Promise<Infer<typeof fleetCounts>> {
  const rows = await Promise.all(
    owners.map((owner) =>
      ctx.db
        .query("deviceListings")
        .withIndex("by_owner_name", (q) => q.eq("owner", owner))
        .take(Math.floor(maxOwn / owners.length)),
    ),
  );
  const tally = new Tally(noDevices, []);
  for (const row of rows.flat()) tally.add(row, 1);
  return { states: tally.states, facets: tally.facets, at: null };
}

/** An organization's devices in numbers, which are at most a minute old. One row is read. */
export async function fleetCountsOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof fleetCounts>> {
  const row = await countsRow(ctx, organizationId);
  return { states: row?.states ?? noDevices, facets: row?.facets ?? [], at: row?.readTo ?? null };
}
