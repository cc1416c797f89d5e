import type { Doc, MutationCtx, QueryCtx } from "../../builders.ts";
import { type Settings, settingsOf } from "../settings.ts";
import { retryAtOf } from "./retryAt.ts";
import type { LaneTally } from "./tally.ts";

export type ScopeCounts = {
  readonly scope: string;
  readonly lanes: readonly LaneTally[];
  /** Those with most queued. */
  readonly requesters: readonly { readonly name: string; readonly queued: number }[];
  /** Null for a fleet that is small enough to be counted when it is asked for. */
  readonly fleet: { readonly online: number; readonly accepting: number } | null;
};

/** So many full ones of a scope are known at once: all its lanes, and the requesters with most. */
const maxCrowds = 1_000;
/** A full lane that could not be counted since is full for so long; or it is gone. */
const uncountedMs = 600_000;

/** Writes down what a scope has, and what of it is full. A lane that is empty and was so is left as it is. */
export async function noteCounts(ctx: MutationCtx, counts: ScopeCounts, now: number): Promise<void> {
  const { scope, lanes, requesters } = counts;
  const [settings, before, fleet] = await Promise.all([
    settingsOf(ctx, scope),
    crowdsBefore(ctx, scope),
    ctx.db
      .query("fleets")
      .withIndex("by_scope", (q) => q.eq("scope", scope))
      .unique(),
    ...lanes.map((tally) => noteLane(ctx, scope, tally, now)),
  ]);
  await noteCrowds(ctx, counts, before, crowded(lanes, requesters, settings), now);
  await noteFleet(ctx, scope, fleet, counts.fleet, now);
}

async function noteLane(ctx: MutationCtx, scope: string, tally: LaneTally, now: number): Promise<void> {
  const { laneId, ready, waiting, running, oldestReadyAt } = tally;
  const [row, lane] = await Promise.all([
    ctx.db
      .query("laneCounts")
      .withIndex("by_lane", (q) => q.eq("laneId", laneId))
      .unique(),
    ctx.db.get("lanes", laneId),
  ]);
  if (lane === null) return;
  const counted = { scope, laneId, ready, waiting, running, oldestReadyAt, countedAt: now };
  if (row === null) await ctx.db.insert("laneCounts", counted);
  else if (ready + waiting + running + row.ready + row.waiting + row.running > 0) {
    await ctx.db.patch("laneCounts", row._id, counted);
  }
}

type Crowd = Pick<Doc<"crowds">, "of" | "name" | "queued"> & { readonly max: number };

/** What has as much queued as it may. */
function crowded(
  lanes: ScopeCounts["lanes"],
  requesters: ScopeCounts["requesters"],
  { maxQueued, maxQueuedPerRequester }: Settings,
): Crowd[] {
  return [
    ...lanes.map(({ name, ready, waiting }) => ({
      of: "lane" as const,
      name,
      queued: ready + waiting,
      max: maxQueued,
    })),
    ...requesters.map((one) => ({ ...one, of: "requester" as const, max: maxQueuedPerRequester })),
  ].filter(({ queued, max }) => queued >= max);
}

async function crowdsBefore(ctx: QueryCtx, scope: string): Promise<Doc<"crowds">[]> {
  return await ctx.db
    .query("crowds")
    .withIndex("by_name", (q) => q.eq("scope", scope))
    .take(maxCrowds);
}

async function noteCrowds(
  ctx: MutationCtx,
  { scope, lanes }: ScopeCounts,
  before: readonly Doc<"crowds">[],
  crowds: readonly Crowd[],
  now: number,
): Promise<void> {
  const known = new Map(before.map((row) => [`${row.of}:${row.name}`, row]));
  for (const { of, name, queued, max } of crowds.slice(0, maxCrowds)) {
    const row = known.get(`${of}:${name}`);
    known.delete(`${of}:${name}`);
    const retryAt = retryAtOf({ queued, countedAt: now }, row ?? null, max);
    if (row === undefined)
      await ctx.db.insert("crowds", { scope, of, name, queued, countedAt: now, retryAt });
    else await ctx.db.patch("crowds", row._id, { queued, countedAt: now, retryAt });
  }
  for (const row of known.values()) {
    const counted = row.of === "requester" || lanes.some(({ name }) => name === row.name);
    if (counted || now - row.countedAt > uncountedMs) await ctx.db.delete("crowds", row._id);
  }
}

async function noteFleet(
  ctx: MutationCtx,
  scope: string,
  row: Doc<"fleets"> | null,
  fleet: ScopeCounts["fleet"],
  now: number,
): Promise<void> {
  if (row !== null && fleet === null) await ctx.db.delete("fleets", row._id);
  else if (row !== null && fleet !== null)
    await ctx.db.patch("fleets", row._id, { ...fleet, countedAt: now });
  else if (fleet !== null) await ctx.db.insert("fleets", { scope, ...fleet, countedAt: now });
}
