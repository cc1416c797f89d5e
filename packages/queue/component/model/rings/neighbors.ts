import type { Doc, Id, QueryCtx } from "../builders.ts";
import { ringSize } from "../placement.ts";

/** The members of a lane's ring after a position, around the ring. The member at the position itself comes last. */
export async function following(
  ctx: QueryCtx,
  ring: "homes" | "stands",
  laneId: Id<"lanes">,
  position: number,
  count: number,
): Promise<readonly Pick<Doc<"homes">, "position" | "workerId" | "rate">[]> {
  const after = await ringOf(ctx, ring)
    .withIndex("by_lane", (q) => q.eq("laneId", laneId).gt("position", position))
    .take(count);
  if (after.length === count) return after;
  // Only the end of the ring needs this second read. If everybody read the start of the ring, every change there would
  // conflict with everybody.
  const around = await ringOf(ctx, ring)
    .withIndex("by_lane", (q) => q.eq("laneId", laneId).lte("position", position))
    .take(count - after.length);
  return [...after, ...around];
}

/** A lane by its name, for callers that have not read its row. */
export type LaneKey = { readonly scope: string; readonly name: string };

/**
 * The workers that wait at a point: the last one at or before it, and those before that one, but none further back than
 * `reach`. Reads no more of the ring, so changes elsewhere do not conflict. One stage of reads.
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

/** The first worker that a point wakes: the last at or before it. Null if it is `except`. */
export async function waiterBefore(
  ctx: QueryCtx,
  lane: LaneKey,
  point: number,
  except: Id<"workers">,
): Promise<Doc<"stands"> | null> {
  const [last] = await waitersAt(ctx, lane, point, { reach: ringSize, most: 1 });
  return last === undefined || last.workerId === except ? null : last;
}

/** Both rings have the same columns and index, as far as they are read here. */
function ringOf(ctx: QueryCtx, ring: "homes" | "stands") {
  return ctx.db.query(ring as "homes");
}
