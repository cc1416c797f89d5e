import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { refuse } from "../refuse.ts";

/** The order of a job; null for what is no job of ours. */
export async function orderOf(ctx: QueryCtx, jobId: string): Promise<Doc<"orders"> | null> {
  return await ctx.db
    .query("orders")
    .withIndex("by_job", (q) => q.eq("jobId", jobId))
    .unique();
}

/** The same for an organization: another's is answered like one that does not exist. */
export async function ownedOrder(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  jobId: string,
): Promise<Doc<"orders">> {
  const order = await orderOf(ctx, jobId);
  return order?.organizationId === organizationId ? order : refuse("not_found", "There is no such job.");
}
