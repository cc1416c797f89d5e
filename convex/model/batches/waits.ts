import type { JobView } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import type { JobStatus } from "../../../app/jobs/states.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { jobWait, waitsOfJobs } from "../orders/jobWaits.ts";
import { queue } from "../queue.ts";
import { cutWait } from "../validators/batches.ts";

/** Why a batch waits: as its jobs do, or because its next requests cannot become jobs yet. */
export const batchWait = v.union(...jobWait.members, v.object({ kind: cutWait }));
type BatchWait = Infer<typeof batchWait>;
export type BatchWaits = ReadonlyMap<Id<"batches">, BatchWait>;

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

/** The newest job that is the furthest. */
async function furthestJob(ctx: QueryCtx, batch: Doc<"batches">): Promise<JobView | null> {
  for (const status of byProgress) {
    const job = await newestJob(ctx, batch, status);
    if (job !== null) return job;
  }
  return null;
}

/**
 * Why batches of an organization wait, by batch. A batch waits if no device has one of its jobs. Its newest job that waits says why. Those
 * that do not wait are left out. The devices are looked at once for all of them.
 */
export async function waitsOfBatches(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  batches: readonly Doc<"batches">[],
): Promise<BatchWaits> {
  const running = batches.filter(({ status }) => status === "in_progress");
  const jobs = await Promise.all(running.map(async (batch) => await furthestJob(ctx, batch)));
  const waits = await waitsOfJobs(
    ctx,
    organizationId,
    jobs.filter((job) => job !== null),
  );
  return new Map(
    running.flatMap(({ _id, cutWaitsFor }, at) => {
      const job = jobs[at] ?? null;
      const wait =
        job !== null ? waits.get(job.jobId) : cutWaitsFor === undefined ? undefined : { kind: cutWaitsFor };
      return wait === undefined ? [] : [[_id, wait] as const];
    }),
  );
}
