import type { Doc, Id, QueryCtx } from "../../builders.ts";
import { onlyOf } from "../onlyOf.ts";

/** Null once it was purged. */
export async function payloadOf(ctx: QueryCtx, jobId: Id<"jobs">): Promise<Doc<"payloads"> | null> {
  return await onlyOf(ctx.db.query("payloads").withIndex("by_job", (q) => q.eq("jobId", jobId)));
}

/** Null while there is none, and once it was purged. */
export async function resultOf(ctx: QueryCtx, jobId: Id<"jobs">): Promise<Doc<"results"> | null> {
  return await onlyOf(ctx.db.query("results").withIndex("by_job", (q) => q.eq("jobId", jobId)));
}
