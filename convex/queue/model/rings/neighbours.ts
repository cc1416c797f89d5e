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
 * Who waits at a point: the last at or before it, and those before that one, but none further back than `reach`. Page by
 * page: up to the ring's start, then around it. Reads no more of the ring than that, so that those who come and go
 * elsewhere meet nobody.
 */
export async function* waitersAt(
  ctx: QueryCtx,
  laneId: Id<"lanes">,
  point: number,
  { reach, most }: { readonly reach: number; readonly most: number },
): AsyncGenerator<Doc<"stands">> {
  const before = await lastIn(ctx, laneId, Math.max(0, point - reach), point, most);
  yield* before;
  if (before.length === most || point >= reach) return;
  const from = Math.max(point + 1, ringSize + point - reach);
  yield* await lastIn(ctx, laneId, from, ringSize, most - before.length);
}

async function lastIn(
  ctx: QueryCtx,
  laneId: Id<"lanes">,
  from: number,
  to: number,
  most: number,
): Promise<readonly Doc<"stands">[]> {
  return await ctx.db
    .query("stands")
    .withIndex("by_lane", (q) => q.eq("laneId", laneId).gte("position", from).lte("position", to))
    .order("desc")
    .take(most);
}

/** Who is woken by a point first: the last at or before it, around the ring, but not `except`. */
export async function standBefore(
  ctx: QueryCtx,
  laneId: Id<"lanes">,
  point: number,
  except: Id<"workers">,
): Promise<Doc<"stands"> | null> {
  const last = await waitersAt(ctx, laneId, point, { reach: ringSize, most: 1 }).next();
  return last.done === true || last.value.workerId === except ? null : last.value;
}

/** The two rings have the same columns and the same index, as far as is read here. */
function ringOf(ctx: QueryCtx, ring: "homes" | "stands") {
  return ctx.db.query(ring as "homes");
}
