import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";

/** Uses are noted this often, so that calls at the same moment seldom write the same row. */
const noteEveryMs = 60_000;

/** The last use of a key, to the minute; null if it never was used. */
export async function lastUseOf(ctx: QueryCtx, apiKeyId: Id<"apiKeys">): Promise<number | null> {
  return (await useRow(ctx, apiKeyId))?.at ?? null;
}

/** Notes that a call of a key was admitted. */
export async function noteUse(ctx: MutationCtx, apiKeyId: Id<"apiKeys">, now: number): Promise<void> {
  const row = await useRow(ctx, apiKeyId);
  if (row === null) await ctx.db.insert("keyUses", { apiKeyId, at: now });
  else if (now - row.at >= noteEveryMs) await ctx.db.patch("keyUses", row._id, { at: now });
}

async function useRow(ctx: QueryCtx, apiKeyId: Id<"apiKeys">) {
  return await ctx.db
    .query("keyUses")
    .withIndex("by_key", (q) => q.eq("apiKeyId", apiKeyId))
    .unique();
}
