import type { Infer } from "convex/values";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { cancelOrder, orderOf } from "../orders/orders.ts";
import { present } from "../refuse.ts";
import type { batchLine } from "../validators/batches.ts";

// A request with several choices, or with more inputs than fit a job, is several jobs. Its end is that of its last job, so it is
// answered once. Each job is paid by itself. Two jobs of a request that end at the same moment conflict, and one of the ends runs again.

/** Remembers the jobs of a request, if they are several. Returns the place of each of them in the batch. */
export async function beginLine(
  ctx: MutationCtx,
  place: Infer<typeof batchLine>,
  jobIds: readonly string[],
): Promise<Infer<typeof batchLine>> {
  if (jobIds.length < 2) return place;
  const { batchId, line, customId } = place;
  const several = await ctx.db.insert("batchLines", {
    batchId,
    line,
    customId,
    jobIds: [...jobIds],
    open: jobIds.length,
  });
  return { ...place, several };
}

/**
 * Notes the end of one of several jobs. The first failure is that of the request, and ends its other jobs.
 * @returns the request once all its jobs have ended; null before.
 */
export async function endPart(
  ctx: MutationCtx,
  lineId: Id<"batchLines">,
  { failure }: Pick<Doc<"batchLines">, "failure">,
): Promise<Pick<Doc<"batchLines">, "jobIds" | "failure"> | null> {
  const row = present(await ctx.db.get("batchLines", lineId), "line with several jobs");
  const open = row.open - 1;
  const first = row.failure ?? failure;
  if (open === 0) {
    await ctx.db.delete("batchLines", lineId);
    return { jobIds: row.jobIds, ...(first === undefined ? {} : { failure: first }) };
  }
  await ctx.db.patch("batchLines", lineId, { open, ...(first === undefined ? {} : { failure: first }) });
  if (row.failure === undefined && failure !== undefined)
    await ctx.scheduler.runAfter(0, internal.batches.cancelLine, { lineId });
  return null;
}

/** Cancels the other jobs of a request after one has failed: their answers would be of no use. Those that have ended stay. */
export async function cancelRest(ctx: MutationCtx, lineId: Id<"batchLines">): Promise<void> {
  const row = await ctx.db.get("batchLines", lineId);
  if (row?.failure === undefined) return;
  for (const jobId of row.jobIds)
    await cancelOrder(ctx, present(await orderOf(ctx, jobId), "order of a job"));
}
