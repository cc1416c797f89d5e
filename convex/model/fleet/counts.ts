import { type Infer, v } from "convex/values";
import { deviceStates } from "../../../app/statistics/metrics.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import type { Owners } from "../memberCalls.ts";
import { deviceCounts, type facetCount } from "../validators/fleet.ts";

/*
 * An organization's devices in numbers. Each listed device keeps the facts that it was counted by, so a change is one
 * subtraction and one addition, however large the fleet is.
 */

/** Names beyond these are not counted. */
const maxNames = 500;
const maxOwn = 280;
/** Up to this many devices are counted with each change. More would contend for the row, and are counted once a minute. */
const smallFleet = 40;
/** A large fleet counts as small again below this, so that it does not go to and fro. */
const smallAgain = 20;

type Counted = NonNullable<Doc<"deviceListings">["counted"]>;
type Facet = Infer<typeof facetCount>;

/** The facts that a listed device is counted by. */
export function countedOf({
  state,
  platform,
  version,
  groups,
  models = [],
  concerns = [],
  online = false,
}: Counted): Required<Counted> {
  return { state, platform, version, groups, models, concerns, online };
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
  const [row, totals] = await Promise.all([countsRow(ctx, organizationId), totalsRow(ctx, organizationId)]);
  const tally = new Tally({
    // A row of an earlier version counts other devices.
    states: row?.facets === undefined ? noDevices : row.states,
    facets: row?.facets ?? [],
    online: totals?.online ?? 0,
  });
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
  await noteSize(ctx, organizationId, tally.states);
  const { online } = tally;
  const { donating } = tally.states;
  if (totals === null) await ctx.db.insert("fleetTotals", { organizationId, online, donating });
  else if (totals.online !== online || totals.donating !== donating)
    await ctx.db.patch("fleetTotals", totals._id, { online, donating });
}

/** Counts a listed device in the transaction that changed it, if the fleet is small. */
export async function countIfSmall(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  listingId: Id<"deviceListings">,
): Promise<void> {
  if ((await sizeRow(ctx, organizationId))?.isLarge === true) return;
  await countBatch(ctx, organizationId, { listingIds: [listingId], readTo: null });
}

/** Notes whether a fleet is large. Each change of a device reads this row, so it is written only when that changes. */
async function noteSize(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  states: Infer<typeof deviceCounts>,
): Promise<void> {
  const row = await sizeRow(ctx, organizationId);
  const devices = Object.values(states).reduce((sum, number) => sum + number, 0);
  const isLarge = devices > (row?.isLarge === true ? smallAgain : smallFleet);
  if (row === null) await ctx.db.insert("fleetSizes", { organizationId, isLarge });
  else if (row.isLarge !== isLarge) await ctx.db.patch("fleetSizes", row._id, { isLarge });
}

async function sizeRow(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"fleetSizes"> | null> {
  return await ctx.db
    .query("fleetSizes")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .unique();
}

const noDevices = Object.fromEntries(deviceStates.map((state) => [state, 0])) as Infer<typeof deviceCounts>;

type Sums = {
  readonly states: Infer<typeof deviceCounts>;
  readonly facets: readonly Facet[];
  readonly online: number;
};

/** Devices added up by state, group, system and version, and those that are online. */
class Tally {
  readonly states: Infer<typeof deviceCounts>;
  readonly #facets: Map<string, Facet>;
  online: number;

  constructor({ states, facets, online }: Sums) {
    this.states = { ...states };
    this.online = online;
    this.#facets = new Map(facets.map((facet) => [keyOf(facet), facet]));
  }

  get facets(): Facet[] {
    return [...this.#facets.values()];
  }

  add(counted: Counted, by: 1 | -1): void {
    this.states[counted.state] += by;
    if (counted.online === true) this.online += by;
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

/** The row of an organization's counts; null until a device is listed. */
export async function countsRow(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"deviceCounts"> | null> {
  return await ctx.db
    .query("deviceCounts")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .unique();
}

async function totalsRow(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"fleetTotals"> | null> {
  return await ctx.db
    .query("fleetTotals")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .unique();
}

/** The devices of an organization that are online, and those that donate. Of a large fleet, as of the last minute. */
export async function fleetTotalsOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<{ readonly online: number; readonly donating: number }> {
  return (await totalsRow(ctx, organizationId)) ?? { online: 0, donating: 0 };
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
  const tally = new Tally({ states: noDevices, facets: [], online: 0 });
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
