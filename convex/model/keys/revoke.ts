import { internal } from "../../_generated/api.js";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { queue } from "../queue.ts";

/** How soon it is looked again whether a job came back that nobody may read the answer of. */
const againMs = 10_000;

/**
 * Cancels the jobs of a revoked key that no device is at work on: nobody could read their answers. What is at work may
 * end; should a device give it back instead, it is canceled with the next look, of which there is one until all is done.
 */
export async function cancelJobsOf(
  ctx: MutationCtx,
  { _id: apiKeyId, organizationId }: Doc<"apiKeys">,
): Promise<void> {
  await queue.cancelMany(ctx, organizationId, { by: "key", name: apiKeyId, running: false });
  const { page } = await queue.list(ctx, organizationId, {
    key: apiKeyId,
    status: "running",
    paginationOpts: { numItems: 1, cursor: null },
  });
  if (page.length > 0) {
    await ctx.scheduler.runAfter(againMs, internal.maintenance.cancelJobsOfKey, { apiKeyId });
  }
}
