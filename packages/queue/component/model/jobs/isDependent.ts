import type { Id, QueryCtx } from "../../builders.ts";

/** Whether a job still has others to wait for. */
export async function isDependent(ctx: QueryCtx, jobId: Id<"jobs">): Promise<boolean> {
  const one = await ctx.db
    .query("dependencies")
    .withIndex("by_job", (q) => q.eq("jobId", jobId))
    .first();
  return one !== null;
}
