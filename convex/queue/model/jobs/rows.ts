import type { Doc, Id, QueryCtx } from "../../builders.ts";

/** Null once it was purged. */
export async function payloadOf(ctx: QueryCtx, jobId: Id<"jobs">): Promise<Doc<"payloads"> | null> {
  return await ctx.db
    .query("payloads")
    .withIndex("by_job", (q) => q.eq("jobId", jobId))
    .unique();
}

/** Null while there is none, and once it was purged. */
export async function resultOf(ctx: QueryCtx, jobId: Id<"jobs">): Promise<Doc<"results"> | null> {
  return await ctx.db
    .query("results")
    .withIndex("by_job", (q) => q.eq("jobId", jobId))
    .unique();
}
