import type { Doc, QueryCtx } from "../../builders.ts";

export async function findRecurring(
  ctx: QueryCtx,
  scope: string,
  name: string,
): Promise<Doc<"recurring"> | null> {
  return await ctx.db
    .query("recurring")
    .withIndex("by_name", (q) => q.eq("scope", scope).eq("name", name))
    .unique();
}

/** Recurring jobs of a scope: all of them. */
export async function allRecurring(ctx: QueryCtx, scope: string): Promise<Doc<"recurring">[]> {
  return await ctx.db
    .query("recurring")
    .withIndex("by_name", (q) => q.eq("scope", scope))
    .take(maxRecurring);
}

export const maxRecurring = 500;
