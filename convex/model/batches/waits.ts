import type { JobView } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import type { JobStatus } from "../../../app/jobs/states.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { jobWait, waitsOfJobs } from "../orders/jobWaits.ts";
import { queue } from "../queue.ts";
import { cutWait } from "../validators/batches.ts";

/** Why a batch waits: as its jobs do, or because its next requests cannot become jobs yet. */
export const batchWait = v.union(...jobWait.members, v.object({ kind: cutWait }));
type BatchWait = Infer<typeof batchWait>;

/** The newest job of a batch, with this status or any. */
export async function newestJob(
  ctx: QueryCtx,
  { organizationId, queueBatchId: batchId }: Doc<"batches">,
  status?: JobStatus,
): Promise<JobView | null> {
  if (batchId === undefined) return null;
  const { page } = await queue.list(ctx, organizationId, {
    batchId,
    ...(status === undefined ? {} : { status }),
    paginationOpts: { numItems: 1, cursor: null },
  });
  return page[0] ?? null;
}

const byProgress = ["running", "prefetched", "ready", "waiting"] as const;

/** A batch waits if no device has one of its jobs. Its newest job that waits says why. Null: it does not wait. */
export async function waitOfBatch(ctx: QueryCtx, batch: Doc<"batches">): Promise<BatchWait | null> {
  const { organizationId, status, cutWaitsFor } = batch;
  if (status !== "in_progress") return null;
  for (const each of byProgress) {
    const job = await newestJob(ctx, batch, each);
    if (job === null) continue;
    return (await waitsOfJobs(ctx, organizationId, [job])).get(job.jobId) ?? null;
  }
  return cutWaitsFor === undefined ? null : { kind: cutWaitsFor };
}
