import type { Doc, QueryCtx } from "../../builders.ts";

/** The scope's worker that the app knows by this id. */
export async function byExternalId(
  ctx: QueryCtx,
  scope: string,
  externalId: string,
): Promise<Doc<"workers"> | null> {
  return await ctx.db
    .query("workers")
    .withIndex("by_external", (q) => q.eq("scope", scope).eq("externalId", externalId))
    .unique();
}
