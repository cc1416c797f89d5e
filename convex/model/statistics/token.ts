import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { hashSecret } from "../authenticate.ts";
import { checkedHash, refuse } from "../refuse.ts";

/** The token with which an organization's metrics may be read; null if nobody may. */
export async function metricsTokenOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"metricsTokens"> | null> {
  return await ctx.db
    .query("metricsTokens")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).eq("revokedAt", undefined))
    .unique();
}

/** The organization whose metrics a token opens, or null. */
export async function organizationOfToken(ctx: QueryCtx, token: string): Promise<Id<"organizations"> | null> {
  const tokenHash = await hashSecret(token);
  const found = await ctx.db
    .query("metricsTokens")
    .withIndex("by_hash", (q) => q.eq("tokenHash", tokenHash))
    .unique();
  return found === null || found.revokedAt !== undefined ? null : found.organizationId;
}

/** Sets the organization's token by its hash. The earlier token ends. Refuses: invalid, conflict. */
export async function setMetricsToken(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  hash: string,
  by: Act,
): Promise<void> {
  const tokenHash = checkedHash(hash, "tokenHash");
  const taken = await ctx.db
    .query("metricsTokens")
    .withIndex("by_hash", (q) => q.eq("tokenHash", tokenHash))
    .unique();
  if (taken !== null) refuse("conflict", "This token exists already.");
  const earlier = await metricsTokenOf(ctx, organizationId);
  if (earlier !== null) await ctx.db.patch("metricsTokens", earlier._id, { revokedAt: by.at });
  const subject = await ctx.db.insert("metricsTokens", { organizationId, tokenHash, createdAt: by.at });
  await record(ctx, { organizationId, ...by, action: "metrics-token.created", subject });
  // The next count of all organizations can be a minute away.
  await ctx.scheduler.runAfter(0, internal.fleet.steps.followFleet, { organizationId });
}

/** Ends the organization's token, if there is one. */
export async function removeMetricsToken(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  by: Act,
): Promise<void> {
  const token = await metricsTokenOf(ctx, organizationId);
  if (token !== null) await revokeToken(ctx, token, by);
}

/** Revokes a token for good. False if it is revoked already. */
export async function revokeToken(
  ctx: MutationCtx,
  { _id: subject, organizationId, revokedAt }: Doc<"metricsTokens">,
  by: Act,
): Promise<boolean> {
  if (revokedAt !== undefined) return false;
  await ctx.db.patch("metricsTokens", subject, { revokedAt: by.at });
  await record(ctx, { organizationId, ...by, action: "metrics-token.removed", subject });
  return true;
}
