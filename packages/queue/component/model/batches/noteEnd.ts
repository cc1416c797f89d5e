import type { Doc, MutationCtx } from "../../builders.ts";
import { armFold, foldEveryMs } from "./armFold.ts";

/**
 * Notes the end of a batch's job; counted later, so that the ends of two jobs never collide. A batch counts the first
 * end of each of its jobs: one that is revived as a dead letter has been counted.
 */
export async function noteEnd(ctx: MutationCtx, job: Doc<"jobs">): Promise<void> {
  const { batchId, round, status } = job;
  if (batchId === undefined || round > 0) return;
  if (status !== "succeeded" && status !== "failed" && status !== "canceled" && status !== "expired") {
    throw new Error(`job ${job._id}: noted as ended while ${status}`);
  }
  await ctx.db.insert("batchEnds", { batchId, outcome: status });
  await armFold(ctx, batchId, { delayMs: foldEveryMs });
}
