import type { Doc, Id, MutationCtx } from "../../builders.ts";
import { ringSize, slotsFor } from "../placement.ts";
import { maintenance } from "../references.ts";
import { following } from "./neighbours.ts";

/** Gaps that one that joins looks at. Few: it collides with others that join there. */
const gapsSeen = 4;
/** Homes counted to fit a lane: of a larger ring the number is taken from how densely they stand. */
const homesCounted = 1_024;
/** About so many of those that join while a fleet doubles look at the gaps, and ask for a new count. */
const askersPerDoubling = 16;

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

/** Whether a lane has less than half, or more than twice, the slots that fit. */
export function isMisfit(slots: number, workers: number): boolean {
  const right = slotsFor(workers);
  return slots < right / 2 || slots > right * 2;
}

/** One that joins has the lane's slots fitted when they seem to fit no more. */
export async function considerResize(ctx: MutationCtx, lane: Doc<"lanes">, position: number): Promise<void> {
  if (Math.random() * lane.slots >= askersPerDoubling) return;
  // One more than the gaps: in a small ring the last one found is itself.
  const found = await following(ctx, "homes", lane._id, position, gapsSeen + 1);
  const count = estimateCount(
    position,
    found.map((home) => home.position),
    gapsSeen + 1,
  );
  if (!isMisfit(lane.slots, count) || Math.random() * count >= askersPerDoubling) return;
  await ctx.scheduler.runAfter(0, maintenance.resize, { laneId: lane._id });
}

/** Fits a lane's slots to how many accept its jobs. Jobs that are there stay where they are. */
export async function resize(ctx: MutationCtx, laneId: Id<"lanes">): Promise<void> {
  const lane = await ctx.db.get("lanes", laneId);
  if (lane === null) return;
  const from = Math.random() * ringSize;
  const homes = await following(ctx, "homes", laneId, from, homesCounted);
  const slots = slotsFor(
    estimateCount(
      from,
      homes.map(({ position }) => position),
      homesCounted,
    ),
  );
  // Half or twice will do: else a fleet at the border would have it changed again and again.
  const near = slots === lane.slots / 2 && lane.slots > 2;
  if (slots !== lane.slots && !near) await ctx.db.patch("lanes", laneId, { slots });
}
