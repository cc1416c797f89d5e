import type { Doc, Id, MutationCtx } from "../../builders.ts";
import { ringSize, slotsFor } from "../placement.ts";
import { maintenance } from "../references.ts";
import { following } from "./neighbors.ts";

/** Homes counted to fit a lane: of a larger ring the number is taken from how densely they stand. */
const homesCounted = 1_024;
const homesInFirstLook = 24;
/** About so many of those that join while a fleet doubles ask for a new count. */
const askersPerDoubling = 4;
/** A fleet that comes to work joins together: it is counted when most are there. */
const countedAfterMs = 1_000;

/**
 * How many stand in a ring, from one stretch of it.
 * @param positions those found from `from` on, around the ring. `wanted`: how many were asked for: fewer are all.
 */
export function estimateCount(from: number, positions: readonly number[], wanted: number): number {
  const last = positions.at(-1);
  if (last === undefined || positions.length < wanted) return positions.length;
  const span = (last - from + ringSize) % ringSize;
  return span === 0 ? positions.length : Math.max(positions.length, (positions.length * ringSize) / span);
}

/**
 * The slots that a lane should have. Half as many as it has, or a little more, will do: else a fleet at the border would
 * have it changed again and again.
 */
export function fittingSlots(slots: number, workers: number): number {
  const right = slotsFor(workers);
  return right === slots / 2 && slots > 2 ? slots : right;
}

/** One that joins may have the lane's slots fitted. It reads nobody's home for that: many join at once. */
export async function considerResize(ctx: MutationCtx, lane: Doc<"lanes">): Promise<void> {
  if (Math.random() * lane.slots >= askersPerDoubling) return;
  await ctx.scheduler.runAfter(countedAfterMs, maintenance.resize, { laneId: lane._id });
}

/** Fits a lane's slots to how many accept its jobs. Jobs that are there stay where they are. */
export async function resize(ctx: MutationCtx, laneId: Id<"lanes">): Promise<void> {
  const lane = await ctx.db.get("lanes", laneId);
  if (lane === null) return;
  // Several ask while a fleet joins: all but the first find it done by a glance.
  const rough = fittingSlots(lane.slots, await countHomes(ctx, laneId, homesInFirstLook));
  if (rough === lane.slots) return;
  const slots = fittingSlots(lane.slots, await countHomes(ctx, laneId, homesCounted));
  if (slots !== lane.slots) await ctx.db.patch("lanes", laneId, { slots });
}

/** All of a ring, or of a larger one an estimate from so many of it. */
async function countHomes(ctx: MutationCtx, laneId: Id<"lanes">, most: number): Promise<number> {
  const from = Math.random() * ringSize;
  const homes = await following(ctx, "homes", laneId, from, most);
  return estimateCount(
    from,
    homes.map(({ position }) => position),
    most,
  );
}
