import { bytesToHex } from "@noble/hashes/utils.js";
import { type Infer, v } from "convex/values";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";

/** Lifetime of a secret. */
const secretMs = 7 * 24 * 3_600_000;

/**
 * How long the previous secret is still accepted, by the reason of the change. A retired device knows the old one. A restored
 * one is not accepted at all: a device that was retired since the backup knows it for long.
 */
const graceMs = { routine: 24 * 3_600_000, retired: 10 * 60_000, restored: 0 } as const;

async function secretOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"sharingSecrets"> | null> {
  return await ctx.db
    .query("sharingSecrets")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .unique();
}

/** The secret by which an organization's devices recognize each other, and the previous one while it is accepted. */
export const sharing = v.object({ secret: v.string(), previous: v.union(v.string(), v.null()) });

/** The organization's secrets; null before the first one exists. */
export async function sharingOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof sharing> | null> {
  const found = await secretOf(ctx, organizationId);
  return found === null ? null : { secret: found.secret, previous: found.previous };
}

/** Creates the organization's first secret, unless it has one. */
export async function ensureSecret(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  now: number,
): Promise<void> {
  if ((await secretOf(ctx, organizationId)) !== null) return;
  const secret = { secret: randomSecret(), previous: null, rotatedAt: now };
  await ctx.db.insert("sharingSecrets", { organizationId, ...secret });
}

/** Replaces the secret. The previous one stays accepted for a time that depends on the reason. */
export async function rotateSecret(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  why: keyof typeof graceMs,
  now: number,
): Promise<void> {
  const found = await secretOf(ctx, organizationId);
  if (found === null) {
    await ensureSecret(ctx, organizationId, now);
    return;
  }
  const previous = graceMs[why] === 0 ? null : found.secret;
  await ctx.db.patch("sharingSecrets", found._id, { secret: randomSecret(), previous, rotatedAt: now });
  if (previous === null) return;
  // Queries have no clock, so a scheduled mutation removes the previous secret.
  await ctx.scheduler.runAfter(graceMs[why], internal.maintenance.endSharingGrace, {
    organizationId,
    previous,
  });
}

/** Replaces the organization's secret if it is a week old, and creates a missing one. */
export async function rotateIfDue(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  now: number,
): Promise<void> {
  const found = await secretOf(ctx, organizationId);
  if (found === null || found.rotatedAt + secretMs <= now) {
    await rotateSecret(ctx, organizationId, "routine", now);
  }
}

/** Stops accepting a previous secret. Does nothing if another one has taken its place. */
export async function endGrace(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  previous: string,
): Promise<void> {
  const found = await secretOf(ctx, organizationId);
  if (found?.previous === previous) await ctx.db.patch("sharingSecrets", found._id, { previous: null });
}

/** 256 random bits, in hex. */
function randomSecret(): string {
  return bytesToHex(crypto.getRandomValues(new Uint8Array(32)));
}
