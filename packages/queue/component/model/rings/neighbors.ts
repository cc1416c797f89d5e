import type { Doc, Id, QueryCtx } from "../builders.ts";
import { firstFew } from "../load.ts";
import { ringSize } from "../placement.ts";

/**
 * Slow workers wait in a ring of their own, so that each job wakes a fast worker, too, if one waits. Their positions are
 * beyond those of the fast ones, with a gap, so that no range of one ring touches the other.
 */
const slowRing = 2 * ringSize;

/** The position of a waiting worker, from its position in the rings. */
export function waitingPosition(position: number, { slow }: { readonly slow: boolean }): number {
  return slow ? slowRing + position : position;
}

/** The first position of the ring of a position. */
function ringOfPosition(position: number): number {
  return position < slowRing ? 0 : slowRing;
}

/** The members of a lane's ring after a position, around the ring. The member at the position itself comes last. */
export async function following(
  ctx: QueryCtx,
  ring: "homes" | "stands",
  laneId: Id<"lanes">,
  position: number,
  count: number,
): Promise<readonly Pick<Doc<"homes">, "position" | "workerId" | "rate">[]> {
  const start = ringOfPosition(position);
  const after = await ringOf(ctx, ring)
    .withIndex("by_lane", (q) =>
      q
        .eq("laneId", laneId)
        .gt("position", position)
        .lt("position", start + ringSize),
    )
    .take(count);
  if (after.length === count) return after;
  // Only the end of the ring needs this second read. If everybody read the start of the ring, every change there would
  // conflict with everybody.
  const around = await ringOf(ctx, ring)
    .withIndex("by_lane", (q) => q.eq("laneId", laneId).gte("position", start).lte("position", position))
    .take(count - after.length);
  return [...after, ...around];
}

/** A lane by its name, for callers that have not read its row. */
export type LaneKey = { readonly scope: string; readonly name: string };

/**
 * The workers that wait at a point: the last one at or before it, and those before that one, but none further back than
 * `reach`. Reads no more of the ring, so changes elsewhere do not conflict. One stage of reads.
 * @param slow whether to look in the ring of slow workers.
 */
export async function waitersAt(
  ctx: QueryCtx,
  lane: LaneKey,
  point: number,
  { reach, most, slow = false }: { readonly reach: number; readonly most: number; readonly slow?: boolean },
): Promise<readonly Doc<"stands">[]> {
  const start = slow ? slowRing : 0;
  const from = Math.max(point + 1, ringSize + point - reach);
  const [before, around] = await Promise.all([
    lastIn(ctx, lane, start + Math.max(0, point - reach), start + point, most),
    point < reach ? lastIn(ctx, lane, start + from, start + ringSize, most) : [],
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
  const waiters = ctx.db
    .query("stands")
    .withIndex("by_name", (q) =>
      q.eq("scope", scope).eq("lane", name).gte("position", from).lte("position", to),
    )
    .order("desc");
  return await firstFew(waiters, most);
}

/** The worker of a ring that a point wakes: the last at or before it. Null if it is `except` itself. */
export async function waiterBefore(
  ctx: QueryCtx,
  lane: LaneKey,
  point: number,
  except: Doc<"stands">,
): Promise<Doc<"stands"> | null> {
  const slow = ringOfPosition(except.position) === slowRing;
  const [last] = await waitersAt(ctx, lane, point, { reach: ringSize, most: 1, slow });
  return last === undefined || last.workerId === except.workerId ? null : last;
}

/** Both rings have the same columns and index, as far as they are read here. */
function ringOf(ctx: QueryCtx, ring: "homes" | "stands") {
  return ctx.db.query(ring as "homes");
}
