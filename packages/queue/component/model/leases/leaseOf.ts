import type { Doc, Id, QueryCtx } from "../../builders.ts";
import { onlyOf } from "../onlyOf.ts";
import { present } from "../refuse.ts";

/** A worker's lease row: there from its registration on. */
export async function leaseOf(ctx: QueryCtx, workerId: Id<"workers">): Promise<Doc<"leases">> {
  const lease = await onlyOf(
    ctx.db.query("leases").withIndex("by_worker", (q) => q.eq("workerId", workerId)),
  );
  return present(lease, "lease of a worker");
}
