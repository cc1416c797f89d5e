import type { Doc, Id, QueryCtx } from "../../builders.ts";
import { maxHeld } from "../workers/capacity.ts";

/** The attempts that the worker with this key holds, begun or not. One read, beside the worker's own. */
export async function heldByKey(ctx: QueryCtx, keyHash: string): Promise<Doc<"attempts">[]> {
  return await ctx.db
    .query("attempts")
    .withIndex("by_key", (q) => q.eq("keyHash", keyHash).eq("open", true))
    .take(maxHeld);
}

export async function heldBy(ctx: QueryCtx, workerId: Id<"workers">): Promise<Doc<"attempts">[]> {
  return await ctx.db
    .query("attempts")
    .withIndex("by_open", (q) => q.eq("workerId", workerId).eq("open", true))
    .take(maxHeld);
}
