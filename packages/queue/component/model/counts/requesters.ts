import type { RequesterTally } from "../../../shared/validators.ts";
import type { Doc, MutationCtx, QueryCtx } from "../builders.ts";

/** The most requesters of a scope whose counts are stored: those with most jobs. */
const stored = 50;

/** Stores the counts of the requesters with most jobs. A scope that stays empty is not written. */
export async function noteRequesters(
  ctx: MutationCtx,
  scope: string,
  counted: readonly RequesterTally[],
): Promise<void> {
  const row = await rowOf(ctx, scope);
  const requesters = counted.slice(0, stored);
  if (row === null) {
    if (requesters.length > 0) await ctx.db.insert("requesterCounts", { scope, requesters });
  } else if (requesters.length + row.requesters.length > 0) {
    await ctx.db.patch("requesterCounts", row._id, { requesters });
  }
}

/** The requesters of a scope with most jobs, as of the last count. */
export async function requesterCountsOf(ctx: QueryCtx, scope: string): Promise<RequesterTally[]> {
  return (await rowOf(ctx, scope))?.requesters ?? [];
}

async function rowOf(ctx: QueryCtx, scope: string): Promise<Doc<"requesterCounts"> | null> {
  return await ctx.db
    .query("requesterCounts")
    .withIndex("by_scope", (q) => q.eq("scope", scope))
    .unique();
}
