import type { Doc, Id, QueryCtx } from "../../builders.ts";
import { maxHeld } from "../capabilities.ts";

/** The attempts that the worker with this key holds, begun or not. One read, beside the worker's own. */
export async function heldByKey(ctx: QueryCtx, keyHash: string): Promise<Doc<"attempts">[]> {
  return await ctx.db
    .query("attempts")
    .withIndex("by_key", (q) => q.eq("keyHash", keyHash).eq("open", true))
    .take(maxHeld);
}

/** Whether it holds any. One read, of the first one alone. */
export async function holdsAny(ctx: QueryCtx, keyHash: string): Promise<boolean> {
  const first = await ctx.db
    .query("attempts")
    .withIndex("by_key", (q) => q.eq("keyHash", keyHash).eq("open", true))
    .first();
  return first !== null;
}

export async function heldBy(ctx: QueryCtx, workerId: Id<"workers">): Promise<Doc<"attempts">[]> {
  return await ctx.db
    .query("attempts")
    .withIndex("by_open", (q) => q.eq("workerId", workerId).eq("open", true))
    .take(maxHeld);
}
