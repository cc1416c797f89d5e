import { type Infer, v } from "convex/values";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";

const maxListed = 200;

export const codeRow = v.object({
  codeId: v.id("enrolmentCodes"),
  label: v.string(),
  uses: v.number(),
  used: v.number(),
  createdAt: v.number(),
  expiresAt: v.number(),
  revokedAt: v.union(v.number(), v.null()),
});

/** An organization's enrolment codes, the newest first. */
export async function codeRows(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof codeRow>[]> {
  const rows = await ctx.db
    .query("enrolmentCodes")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .order("desc")
    .take(maxListed);
  return rows.map(({ _id, label, uses, used, createdAt, expiresAt, revokedAt }) => ({
    codeId: _id,
    label,
    uses,
    used,
    createdAt,
    expiresAt,
    revokedAt: revokedAt ?? null,
  }));
}
