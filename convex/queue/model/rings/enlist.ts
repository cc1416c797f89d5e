import type { Doc, Id, MutationCtx } from "../../builders.ts";
import { matches } from "../lanes/match.ts";
import { maintenance } from "../references.ts";
import { dropStands, homesOf } from "./membership.ts";

const workersPerStep = 100;

/**
 * A new lane: workers that accept jobs get a home there, and those of them that wait are woken by it, too. In steps
 * along the ring; then its slots are fitted.
 * @param after the position of the last one that was looked at, −1 at first.
 */
export async function enlist(ctx: MutationCtx, laneId: Id<"lanes">, after: number): Promise<void> {
  const lane = await ctx.db.get("lanes", laneId);
  if (lane === null) return;
  const workers = await ctx.db
    .query("workers")
    .withIndex("by_position", (q) => q.eq("scope", lane.scope).gt("position", after))
    .take(workersPerStep);
  const able = workers.filter(
    (worker) => worker.online && worker.status === "active" && matches(worker, lane.kind, lane.requirements),
  );
  const rings = await Promise.all(
    able.map(async (worker) => {
      const [homes, stands] = await Promise.all([homesOf(ctx, worker._id), standsOf(ctx, worker._id)]);
      return { worker, homes, stands };
    }),
  );
  for (const { worker, homes, stands } of rings) {
    const { _id: workerId, keyHash, position } = worker;
    const waits = stands.length > 0;
    if ((waits || homes.length > 0) && !homes.some((home) => home.laneId === laneId)) {
      await ctx.db.insert("homes", { laneId, position, workerId });
    }
    if (waits && !stands.some((stand) => stand.laneId === laneId)) {
      await ctx.db.insert("stands", { laneId, position, workerId, keyHash });
      await dropStands(
        ctx,
        stands.filter((stand) => stand.laneId === null),
      );
    }
  }
  const last = workers.at(-1);
  if (last !== undefined && workers.length === workersPerStep) {
    await ctx.scheduler.runAfter(0, maintenance.enlist, { laneId, after: last.position });
  } else {
    await ctx.scheduler.runAfter(0, maintenance.resize, { laneId });
  }
}

async function standsOf(ctx: MutationCtx, workerId: Id<"workers">): Promise<Doc<"stands">[]> {
  return await ctx.db
    .query("stands")
    .withIndex("by_worker", (q) => q.eq("workerId", workerId))
    .collect();
}
