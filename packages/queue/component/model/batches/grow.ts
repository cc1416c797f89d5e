import type { Doc, Id, MutationCtx, QueryCtx } from "../../builders.ts";
import { loadOwned } from "../load.ts";
import { refuse } from "../refuse.ts";

/** The batch that a submission names, which has to be open. */
export async function loadOpenBatch(ctx: QueryCtx, scope: string, batchId: string): Promise<Doc<"batches">> {
  const batch = await loadOwned(ctx, "batches", scope, batchId);
  if (batch.status !== "open") refuse("invalid", `The batch is ${batch.status}: it takes no more jobs.`);
  return batch;
}

/** Adds so many new jobs to an open batch. Its additions come one after the other: each writes its row once. */
export async function grow(
  ctx: MutationCtx,
  batch: Doc<"batches">,
  jobs: number,
  maxJobs: number,
): Promise<Id<"batches">> {
  const total = batch.total + jobs;
  if (total > maxJobs) {
    refuse("too_large", `A batch has at most ${String(maxJobs)} jobs; this one would have ${String(total)}.`);
  }
  if (jobs > 0) await ctx.db.patch("batches", batch._id, { total });
  return batch._id;
}
