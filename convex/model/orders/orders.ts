import { jobStatus } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { queue } from "../queue.ts";
import { refuse } from "../refuse.ts";

export const canceled = v.union(
  v.object({ kind: v.literal("canceled") }),
  v.object({ kind: v.literal("already-final"), status: jobStatus }),
);

/** Cancels a job that is not final; its reservation goes back. A device at work on it stops. */
export async function cancelOrder(
  ctx: MutationCtx,
  { organizationId, jobId }: Doc<"orders">,
): Promise<Infer<typeof canceled>> {
  const outcome = await queue.cancel(ctx, organizationId, jobId);
  // Jobs are forgotten after a while, orders never.
  return outcome.kind === "not-found" ? refuse("not_found", "There is no such job.") : outcome;
}
