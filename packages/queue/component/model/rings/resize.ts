import type { Doc, Id, MutationCtx } from "../builders.ts";
import { ringSize, slotsFor } from "../placement.ts";
import { maintenance } from "../references.ts";
import { noteRate } from "./laneRate.ts";
import { following } from "./neighbors.ts";

/** The most homes that are counted. A larger ring is estimated from their density. */
const homesCounted = 1_024;
const homesInFirstLook = 24;
/** While a fleet doubles, about this many of the joining workers trigger a count. */
const askersPerDoubling = 4;
/** Workers often start together. The count waits until most have joined. */
const countedAfterMs = 1_000;

/**
 * Estimates the number of members of a ring from one stretch of it.
 * @param positions the members found from `from` on. `wanted`: how many were asked for; if fewer were found, they are
 * all.
 */
export function estimateCount(from: number, positions: readonly number[], wanted: number): number {
  const last = positions.at(-1);
  if (last === undefined || positions.length < wanted) return positions.length;
  const span = (last - from + ringSize) % ringSize;
  return span === 0 ? positions.length : Math.max(positions.length, (positions.length * ringSize) / span);
}

/**
 * The number of slots that a lane should have. A number one step too high is kept, so a fleet near the border does not
 * switch back and forth.
 */
export function fittingSlots(slots: number, workers: number): number {
  const right = slotsFor(workers);
  return right === slots / 2 && slots > 2 ? slots : right;
}

/** A joining worker may trigger a resize of the lane. It reads no homes, because many workers join at once. */
export async function considerResize(ctx: MutationCtx, lane: Doc<"lanes">): Promise<void> {
  if (Math.random() * lane.slots >= askersPerDoubling) return;
  await ctx.scheduler.runAfter(countedAfterMs, maintenance.resize, { laneId: lane._id });
}

/** Fits a lane's slots to the number of accepting workers. Existing jobs keep their positions. */
export async function resize(ctx: MutationCtx, laneId: Id<"lanes">): Promise<void> {
  const lane = await ctx.db.get("lanes", laneId);
  if (lane === null) return;
  await noteRate(ctx, lane);
  // Several workers trigger this while a fleet joins. After the first run a small count shows that nothing is left to
  // do.
  const rough = fittingSlots(lane.slots, await countHomes(ctx, laneId, homesInFirstLook));
  if (rough === lane.slots) return;
  const slots = fittingSlots(lane.slots, await countHomes(ctx, laneId, homesCounted));
  if (slots !== lane.slots) await ctx.db.patch("lanes", laneId, { slots });
}

/** The number of homes in the lane's ring, estimated if there are more than `most`. */
async function countHomes(ctx: MutationCtx, laneId: Id<"lanes">, most: number): Promise<number> {
  const from = Math.random() * ringSize;
  const homes = await following(ctx, "homes", laneId, from, most);
  return estimateCount(
    from,
    homes.map(({ position }) => position),
    most,
  );
}
