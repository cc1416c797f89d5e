import type { Doc, QueryCtx } from "../../builders.ts";
import { isUnfit, wasUnfit } from "./unfit.ts";

/** Others looked at to find one that could run a job. */
const scannedHomes = 32;

/**
 * Whether a job is left for others: the worker is unfit for it, or was the last to fail or lose it while another that
 * could run it accepts jobs of its lane.
 */
export async function isAvoided(ctx: QueryCtx, job: Doc<"jobs">, worker: Doc<"workers">): Promise<boolean> {
  if (isUnfit(job, worker)) return true;
  if (job.lastFailedWorkerId !== worker._id) return false;
  const homes = await ctx.db
    .query("homes")
    .withIndex("by_lane", (q) => q.eq("laneId", job.laneId))
    .take(scannedHomes);
  return homes.some(({ workerId }) => workerId !== worker._id && !wasUnfit(job, workerId));
}
