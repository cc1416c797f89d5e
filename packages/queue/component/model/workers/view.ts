import type { WorkerView } from "../../../shared/validators.ts";
import type { Doc, QueryCtx } from "../builders.ts";
import { maxLanes } from "../settings.ts";
import { reportOf } from "./allowed.ts";

/** A worker as its scope sees it, without the hash of its key. One read, to see whether it accepts jobs. */
export async function viewOf(ctx: QueryCtx, worker: Doc<"workers">): Promise<WorkerView> {
  const home = await ctx.db
    .query("homes")
    .withIndex("by_worker", (q) => q.eq("workerId", worker._id))
    .first();
  return {
    workerId: worker._id,
    externalId: worker.externalId ?? null,
    name: worker.name,
    status: worker.status,
    online: worker.online,
    accepting: home !== null,
    groups: worker.groups,
    labels: worker.labels ?? [],
    dataClasses: worker.dataClasses,
    capabilities: worker.capabilities ?? null,
    reported: reportOf(worker) ?? null,
    allowedCapabilities: worker.allowedCapabilities ?? null,
    maxConcurrentJobs: worker.maxConcurrentJobs ?? null,
    keyPrefix: worker.keyPrefix ?? null,
    version: worker.version ?? null,
    registeredAt: worker.registeredAt,
    lastChangeAt: worker.lastChangeAt,
  };
}

/** The scope's worker with the app's id. */
export async function byExternalId(
  ctx: QueryCtx,
  scope: string,
  externalId: string,
): Promise<Doc<"workers"> | null> {
  return await ctx.db
    .query("workers")
    .withIndex("by_external", (q) => q.eq("scope", scope).eq("externalId", externalId))
    .unique();
}

/** Reads two rows of each lane at most, however many workers are online. */
export async function areOthersAccepting(ctx: QueryCtx, scope: string, workerId: string): Promise<boolean> {
  const lanes = await ctx.db
    .query("lanes")
    .withIndex("by_name", (q) => q.eq("scope", scope))
    .take(maxLanes);
  const homes = await Promise.all(
    lanes.map(({ _id }) =>
      ctx.db
        .query("homes")
        .withIndex("by_lane", (q) => q.eq("laneId", _id))
        .take(2),
    ),
  );
  return homes.flat().some((home) => home.workerId !== workerId);
}
