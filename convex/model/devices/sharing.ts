import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";

/** How long a secret is good before the next one takes its place. */
export const secretMs = 7 * 24 * 3_600_000;

/** How long devices that have not heard of the new one yet are let in with the old one. */
const graceMs = { routine: 24 * 3_600_000, retired: 10 * 60_000 } as const;

async function secretOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"sharingSecrets"> | null> {
  return await ctx.db
    .query("sharingSecrets")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .unique();
}

export type Sharing = { secret: string; previous: string | null };

/** By what an organization's devices know each other; null before there is a secret. */
export async function sharingOf(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<Sharing | null> {
  const found = await secretOf(ctx, organizationId);
  return found === null ? null : { secret: found.secret, previous: found.previous };
}

/** Makes the organization's first secret, if it has none. */
export async function ensureSecret(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  now: number,
): Promise<void> {
  if ((await secretOf(ctx, organizationId)) !== null) return;
  const secret = { secret: randomSecret(), previous: null, rotatedAt: now };
  await ctx.db.insert("sharingSecrets", { organizationId, ...secret });
}

/** Puts another secret in force. `why` says for how long the old one is still good: a retired device knows it. */
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
  const { secret: previous } = found;
  await ctx.db.patch("sharingSecrets", found._id, { secret: randomSecret(), previous, rotatedAt: now });
  // Queries have no clock: the old one is taken away when its time is over.
  await ctx.scheduler.runAfter(graceMs[why], internal.maintenance.endSharingGrace, {
    organizationId,
    previous,
  });
}

/** Lets nobody in any more with a secret that was replaced; does nothing where it is not the one that still counts. */
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
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
