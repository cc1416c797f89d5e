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

/** A lane as one knows it that has not read it. */
export type LaneKey = { readonly scope: string; readonly name: string };

/**
 * Who waits at a point: the last at or before it, around the ring, and those before that one, but none further back than
 * `reach`. Reads no more of the ring than that, so that those who come and go elsewhere meet nobody. One stage.
 */
export async function waitersAt(
  ctx: QueryCtx,
  lane: LaneKey,
  point: number,
  { reach, most }: { readonly reach: number; readonly most: number },
): Promise<readonly Doc<"stands">[]> {
  const from = Math.max(point + 1, ringSize + point - reach);
  const [before, around] = await Promise.all([
    lastIn(ctx, lane, Math.max(0, point - reach), point, most),
    point < reach ? lastIn(ctx, lane, from, ringSize, most) : [],
  ]);
  return [...before, ...around].slice(0, most);
}

async function lastIn(
  ctx: QueryCtx,
  { scope, name }: LaneKey,
  from: number,
  to: number,
  most: number,
): Promise<readonly Doc<"stands">[]> {
  return await ctx.db
    .query("stands")
    .withIndex("by_name", (q) =>
      q.eq("scope", scope).eq("lane", name).gte("position", from).lte("position", to),
    )
    .order("desc")
    .take(most);
}

/** Who is woken by a point first: the last at or before it, around the ring, but not `except`. */
export async function waiterBefore(
  ctx: QueryCtx,
  lane: LaneKey,
  point: number,
  except: Id<"workers">,
): Promise<Doc<"stands"> | null> {
  const [last] = await waitersAt(ctx, lane, point, { reach: ringSize, most: 1 });
  return last === undefined || last.workerId === except ? null : last;
}

/** The two rings have the same columns and the same index, as far as is read here. */
function ringOf(ctx: QueryCtx, ring: "homes" | "stands") {
  return ctx.db.query(ring as "homes");
}
