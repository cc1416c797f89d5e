import type { Doc, Id, QueryCtx } from "../../builders.ts";
import { present } from "../refuse.ts";

/** A worker's lease row: there from its registration on. */
export async function leaseOf(ctx: QueryCtx, workerId: Id<"workers">): Promise<Doc<"leases">> {
  const lease = await ctx.db
    .query("leases")
    .withIndex("by_worker", (q) => q.eq("workerId", workerId))
    .unique();
  return present(lease, "lease of a worker");
}
