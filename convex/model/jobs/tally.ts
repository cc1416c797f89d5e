import type { JobStatus } from "../../../app/jobs/states.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";

const maxPending = 1_000;
const perBatch = 500;

/** How many jobs ended with a status: the folded count and what is pending. */
export async function tallyOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  status: JobStatus,
): Promise<number> {
  const row = await ctx.db
    .query("tallies")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).eq("status", status))
    .unique();
  const pending = await ctx.db
    .query("tallyPending")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).eq("status", status))
    .take(maxPending);
  return (row?.count ?? 0) + pending.length;
}

/** Folds the oldest pending counts. Same terms as the ledger's projector. */
export async function foldTallies(ctx: MutationCtx, before: number): Promise<boolean> {
  const oldest = await ctx.db
    .query("tallyPending")
    .withIndex("by_creation_time", (q) => q.lt("_creationTime", before))
    .take(perBatch);
  for (const { _id, organizationId, status } of oldest) {
    const row = await ctx.db
      .query("tallies")
      .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).eq("status", status))
      .unique();
    if (row === null) await ctx.db.insert("tallies", { organizationId, status, count: 1 });
    else await ctx.db.patch("tallies", row._id, { count: row.count + 1 });
    await ctx.db.delete("tallyPending", _id);
  }
  return oldest.length === perBatch;
}
