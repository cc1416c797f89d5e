import type { Rate, WaitSubscription } from "../../../shared/validators.ts";
import type { Doc, Id, MutationCtx, QueryCtx } from "../builders.ts";
import { firstOf } from "../load.ts";
import { isSlow, rateFor, setupFor } from "../speed.ts";
import { waitingPosition } from "./neighbors.ts";
import { considerResize } from "./resize.ts";

/** The waiting positions of the worker with this key. One read, in parallel with the worker's row. */
export async function waitersByKey(ctx: QueryCtx, keyHash: string): Promise<Doc<"stands">[]> {
  return await ctx.db
    .query("stands")
    .withIndex("by_key", (q) => q.eq("keyHash", keyHash))
    .collect();
}

export async function homesOf(ctx: QueryCtx, workerId: Id<"workers">): Promise<Doc<"homes">[]> {
  return await ctx.db
    .query("homes")
    .withIndex("by_worker", (q) => q.eq("workerId", workerId))
    .collect();
}

/** The worker's home in one lane. */
export async function homeOf(
  ctx: QueryCtx,
  workerId: Id<"workers">,
  laneId: Id<"lanes">,
): Promise<Doc<"homes"> | null> {
  return await firstOf(
    ctx.db.query("homes").withIndex("by_worker", (q) => q.eq("workerId", workerId).eq("laneId", laneId)),
  );
}

export function subscriptionOf({ laneId, position }: Doc<"stands">): WaitSubscription {
  return { laneId: laneId ?? "", position };
}

/** Adds the missing homes of a worker that accepts jobs of these lanes. */
export async function addHomes(
  ctx: MutationCtx,
  worker: Doc<"workers">,
  lanes: readonly Doc<"lanes">[],
  homes: readonly Doc<"homes">[],
): Promise<void> {
  const { _id: workerId, position } = worker;
  const known = new Set(homes.map(({ laneId }) => laneId));
  for (const lane of lanes.filter(({ _id }) => !known.has(_id))) {
    await ctx.db.insert("homes", { laneId: lane._id, position, workerId, ...rateIn(lane, worker) });
    await considerResize(ctx, lane);
  }
}

/** The worker's speed in a lane, as its rows in the lane's rings have it. */
export function rateIn(lane: Doc<"lanes">, { capabilities }: Doc<"workers">): { readonly rate?: Rate } {
  const rate = rateFor(capabilities, lane);
  return rate === null ? {} : { rate };
}

/** Where and how a worker waits in a lane. */
export function waitingRow(lane: Doc<"lanes">, worker: Doc<"workers">) {
  const speed = rateIn(lane, worker);
  const slow = isSlow(speed.rate, lane.rate);
  const { _id: laneId, scope, name } = lane;
  const setupMs = setupFor(worker.capabilities, lane);
  return {
    laneId,
    scope,
    lane: name,
    position: waitingPosition(worker.position, { slow }),
    ...speed,
    ...(setupMs === 0 ? {} : { setupMs }),
  };
}

/** The fields of a waiting row that depend on its lane. */
type WaitLane = Pick<Doc<"stands">, "laneId" | "scope" | "lane" | "rate" | "setupMs" | "position">;

/** Has the worker wait in these lanes only. Without a lane it waits for a new one. @returns all its positions. */
export async function waitIn(
  ctx: MutationCtx,
  worker: Doc<"workers">,
  lanes: readonly Doc<"lanes">[],
  waiters: readonly Doc<"stands">[],
): Promise<WaitSubscription[]> {
  const { _id: workerId, keyHash, position } = worker;
  const wanted: readonly WaitLane[] =
    lanes.length === 0 ? [{ laneId: null, position }] : lanes.map((lane) => waitingRow(lane, worker));
  const isAt = (at: WaitLane, there: Doc<"stands">): boolean =>
    there.laneId === at.laneId && there.lane === at.lane && there.position === at.position;
  const gone = waiters.filter((there) => !wanted.some((at) => isAt(at, there)));
  const added = wanted.filter((at) => !waiters.some((there) => isAt(at, there)));
  await removeWaiters(ctx, gone);
  for (const at of added) await ctx.db.insert("stands", { ...at, workerId, keyHash });
  return wanted.map((at) => ({ laneId: at.laneId ?? "", position: at.position }));
}

/** Ends the wait at these positions. */
export async function removeWaiters(ctx: MutationCtx, waiters: readonly Doc<"stands">[]): Promise<void> {
  for (const { _id } of waiters) await ctx.db.delete("stands", _id);
}

/** Removes the worker from all rings: it is neither woken nor counted until it asks for jobs again. */
export async function leaveRings(ctx: MutationCtx, workerId: Id<"workers">): Promise<void> {
  const [homes, waiters] = await Promise.all([
    homesOf(ctx, workerId),
    ctx.db
      .query("stands")
      .withIndex("by_worker", (q) => q.eq("workerId", workerId))
      .collect(),
  ]);
  for (const { _id } of homes) await ctx.db.delete("homes", _id);
  await removeWaiters(ctx, waiters);
}
