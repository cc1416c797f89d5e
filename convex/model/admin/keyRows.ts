import { type Infer, v } from "convex/values";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { keyAccount } from "../ledger/accounts.ts";
import { balanceOf } from "../ledger/balance.ts";
import { queue } from "../queue.ts";

const maxListed = 200;

export const keyRow = v.object({
  keyId: v.id("apiKeys"),
  name: v.string(),
  prefix: v.string(),
  createdAt: v.number(),
  revokedAt: v.union(v.number(), v.null()),
  balanceMicro: v.int64(),
  dataClass: v.union(v.string(), v.null()),
  /** Jobs that it may have under way at once; null: as many as there are. */
  concurrency: v.union(v.number(), v.null()),
  /** How often it has its turn, beside others' once. */
  weight: v.number(),
});

/** An organization's API keys, the newest first. */
export async function keyRows(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof keyRow>[]> {
  const [rows, limits] = await Promise.all([
    ctx.db
      .query("apiKeys")
      .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
      .order("desc")
      .take(maxListed),
    queue.limits.list(ctx, organizationId),
  ]);
  const limitOf = new Map(
    limits.filter(({ of }) => of === "requester").map((limit) => [limit.name, limit] as const),
  );
  return await Promise.all(
    rows.map(async ({ _id, name, prefix, createdAt, revokedAt, dataClass }) => ({
      keyId: _id,
      name,
      prefix,
      createdAt,
      revokedAt: revokedAt ?? null,
      balanceMicro: (await balanceOf(ctx, keyAccount(_id))).micro,
      dataClass: dataClass ?? null,
      concurrency: limitOf.get(_id)?.concurrency ?? null,
      weight: limitOf.get(_id)?.weight ?? 1,
    })),
  );
}
