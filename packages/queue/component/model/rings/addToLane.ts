import type { Doc, Id, MutationCtx } from "../builders.ts";
import { matches } from "../lanes/requirements.ts";
import { firstOf } from "../load.ts";
import { maintenance } from "../references.ts";
import { rateIn, waitingRow } from "./membership.ts";

const workersPerStep = 100;

/**
 * Adds workers to a new lane: those that accept jobs get a home, and those that wait are woken by it. Runs in steps
 * along the ring, then fits the lane's slots.
 * @param after the position of the last worker that was looked at; −1 at first.
 */
export async function addToLane(ctx: MutationCtx, laneId: Id<"lanes">, after: number): Promise<void> {
  const lane = await ctx.db.get("lanes", laneId);
  if (lane === null) return;
  const workers = await ctx.db
    .query("workers")
    .withIndex("by_position", (q) => q.eq("scope", lane.scope).gt("position", after))
    .take(workersPerStep);
  const matching = workers.filter(
    (worker) => worker.online && worker.status === "active" && matches(worker, lane.kind, lane.requirements),
  );
  const rings = await Promise.all(
    matching.map(async (worker) => {
      const [homes, waiters] = await Promise.all([
        rowsOfWorker(ctx, "homes", worker._id, laneId),
        rowsOfWorker(ctx, "stands", worker._id, laneId),
      ]);
      return { worker, homes, waiters };
    }),
  );
  for (const { worker, homes, waiters } of rings) {
    const { _id: workerId, keyHash, position } = worker;
    const waits = waiters.first !== null;
    if ((waits || homes.first !== null) && homes.here === null) {
      await ctx.db.insert("homes", { laneId, position, workerId, ...rateIn(lane, worker) });
    }
    if (waiters.first !== null && waiters.here === null) {
      await ctx.db.insert("stands", { ...waitingRow(lane, worker), workerId, keyHash });
      if (waiters.first.laneId === null) await ctx.db.delete("stands", waiters.first._id);
    }
  }
  const last = workers.at(-1);
  if (last !== undefined && workers.length === workersPerStep) {
    await ctx.scheduler.runAfter(0, maintenance.addToLane, { laneId, after: last.position });
  } else {
    await ctx.scheduler.runAfter(0, maintenance.resize, { laneId });
  }
}

/**
 * The worker's first row in one of the rings, and its row in this lane. A worker that waits for any new lane has one
 * row without a lane, which is then its first.
 */
async function rowsOfWorker<Ring extends "homes" | "stands">(
  ctx: MutationCtx,
  ring: Ring,
  workerId: Id<"workers">,
  laneId: Id<"lanes">,
): Promise<{ readonly first: Doc<Ring> | null; readonly here: Doc<Ring> | null }> {
  // Both rings have the same index.
  const rows = (): ReturnType<typeof ctx.db.query<"stands">> => ctx.db.query(ring as "stands");
  const [first, here] = await Promise.all([
    firstOf(rows().withIndex("by_worker", (q) => q.eq("workerId", workerId))),
    firstOf(rows().withIndex("by_worker", (q) => q.eq("workerId", workerId).eq("laneId", laneId))),
  ]);
  return { first: first as Doc<Ring> | null, here: here as Doc<Ring> | null };
}
