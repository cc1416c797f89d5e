import { type Infer, v } from "convex/values";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { keyAccount } from "../ledger/accounts.ts";
import { balanceOf } from "../ledger/balance.ts";

const maxListed = 200;

export const keyRow = v.object({
  keyId: v.id("apiKeys"),
  name: v.string(),
  prefix: v.string(),
  createdAt: v.number(),
  revokedAt: v.union(v.number(), v.null()),
  balanceMicro: v.int64(),
});

/** An organization's API keys, the newest first. */
export async function keyRows(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof keyRow>[]> {
  const rows = await ctx.db
    .query("apiKeys")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .order("desc")
    .take(maxListed);
  return await Promise.all(
    rows.map(async ({ _id, name, prefix, createdAt, revokedAt }) => ({
      keyId: _id,
      name,
      prefix,
      createdAt,
      revokedAt: revokedAt ?? null,
      balanceMicro: (await balanceOf(ctx, keyAccount(_id))).micro,
    })),
  );
}
