import type { Doc, Id, QueryCtx } from "../../builders.ts";
import { ringSize } from "../placement.ts";

/** Those after a position in a lane's ring, around it; the one at the position itself comes last, where it is reached. */
export async function following(
  ctx: QueryCtx,
  ring: "homes" | "stands",
  laneId: Id<"lanes">,
  position: number,
  count: number,
): Promise<readonly Pick<Doc<"homes">, "position" | "workerId">[]> {
  const after = await ringOf(ctx, ring)
    .withIndex("by_lane", (q) => q.eq("laneId", laneId).gt("position", position))
    .take(count);
  if (after.length === count) return after;
  // A second stage for the last ones of the ring alone: else everybody's read would meet each change at its start.
  const around = await ringOf(ctx, ring)
    .withIndex("by_lane", (q) => q.eq("laneId", laneId).lte("position", position))
    .take(count - after.length);
  return [...after, ...around];
}

/**
 * Who waits at a point: the last at or before it, but not further back than `reach`. Reads no more of the ring than that,
 * so that those who come and go elsewhere meet nobody.
 */
export async function waiterAt(
  ctx: QueryCtx,
  laneId: Id<"lanes">,
  point: number,
  reach: number,
): Promise<Doc<"stands"> | null> {
  const before = await lastIn(ctx, laneId, Math.max(0, point - reach), point);
  if (before !== null || point >= reach) return before;
  return await lastIn(ctx, laneId, ringSize + point - reach, ringSize);
}

async function lastIn(
  ctx: QueryCtx,
  laneId: Id<"lanes">,
  from: number,
  to: number,
): Promise<Doc<"stands"> | null> {
  return await ctx.db
    .query("stands")
    .withIndex("by_lane", (q) => q.eq("laneId", laneId).gte("position", from).lte("position", to))
    .order("desc")
    .first();
}

/** Who is woken by a point first: the last at or before it, around the ring, but not `except`. */
export async function standBefore(
  ctx: QueryCtx,
  laneId: Id<"lanes">,
  point: number,
  except: Id<"workers">,
): Promise<Doc<"stands"> | null> {
  const found = await waiterAt(ctx, laneId, point, ringSize);
  return found?.workerId === except ? null : found;
}

/** The two rings have the same columns and the same index, as far as is read here. */
function ringOf(ctx: QueryCtx, ring: "homes" | "stands") {
  return ctx.db.query(ring as "homes");
}
