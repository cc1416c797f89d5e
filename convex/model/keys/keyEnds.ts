import { expiredWords, expiresSoonMs } from "../../../app/keys/expiry.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { queue } from "../queue.ts";

/** By then all jobs of a revoked key have ended, and its entries are projected. */
const holdsKeptMs = 7 * 86_400_000;

/** Revokes a key for good. Its jobs and batches are canceled, also running ones. False if it is revoked already. */
export async function revokeKey(ctx: MutationCtx, key: Doc<"apiKeys">, by: Act): Promise<boolean> {
  if (key.revokedAt !== undefined) return false;
  const { _id: subject, organizationId } = key;
  const ended = key.playgroundUntil === undefined ? {} : { playgroundEnded: true };
  await ctx.db.patch("apiKeys", subject, {
    revokedAt: by.at,
    former: undefined,
    allowance: undefined,
    ...ended,
  });
  await cancelJobsOf(ctx, key, { code: "key_revoked", message: "This API key was revoked." });
  await ctx.scheduler.runAfter(0, internal.batches.endOfKey, { apiKeyId: subject });
  await ctx.scheduler.runAfter(holdsKeptMs, internal.maintenance.forgetHoldsOf, { apiKeyId: subject });
  await record(ctx, { organizationId, ...by, action: "api-key.revoked", subject });
  return true;
}

/**
 * Cancels the jobs of a key that may not be used anymore, since nobody could read their answers. Devices abort running ones. Those
 * who wait for a job get the error.
 */
export async function cancelJobsOf(
  ctx: MutationCtx,
  { _id: name, organizationId }: Doc<"apiKeys">,
  error: { readonly code: "key_revoked" | "key_expired" | "canceled"; readonly message: string },
  before?: number,
): Promise<void> {
  const which = { by: "requester", name, running: true, error } as const;
  await queue.cancelMany(ctx, organizationId, before === undefined ? which : { ...which, before });
}

const perRun = 50;

/**
 * Ends the jobs and batches of an organization's keys that have expired, which are refused by the clock already. Their files stay
 * until their own end, since an administrator may set a later one. Returns whether there may be more.
 */
export async function endExpiredKeys(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  now: number,
): Promise<boolean> {
  const expired = await expiringUntil(ctx, organizationId, now, perRun);
  for (const key of expired) await endExpired(ctx, key, now);
  return expired.length === perRun;
}

/** Forgets former secrets whose time is over. They are refused by the clock already. Returns whether there may be more. */
export async function endFormerSecrets(ctx: MutationCtx, now: number): Promise<boolean> {
  const ended = await ctx.db
    .query("apiKeys")
    .withIndex("by_former_end", (q) => q.gt("former.until", 0).lte("former.until", now))
    .take(perRun);
  for (const { _id } of ended) await ctx.db.patch("apiKeys", _id, { former: undefined });
  return ended.length === perRun;
}

/** More are not counted. */
const mostCounted = 100;

/** How many keys of an organization expire soon. */
export async function countExpiring(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  now: number,
): Promise<number> {
  const keys = await expiringUntil(ctx, organizationId, now + expiresSoonMs, mostCounted);
  return keys.filter(({ revokedAt }) => revokedAt === undefined).length;
}

/** The keys that expire until a moment, or have expired and still have work. */
async function expiringUntil(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  until: number,
  most: number,
): Promise<Doc<"apiKeys">[]> {
  return await ctx.db
    .query("apiKeys")
    .withIndex("by_expiry", (q) =>
      q
        .eq("organizationId", organizationId)
        .eq("expired", undefined)
        .gt("expiresAt", 0)
        .lte("expiresAt", until),
    )
    .take(most);
}

async function endExpired(ctx: MutationCtx, key: Doc<"apiKeys">, now: number): Promise<void> {
  const { _id: subject, organizationId, expiresAt = now } = key;
  await ctx.db.patch("apiKeys", subject, { expired: true });
  if (key.revokedAt !== undefined) return;
  await cancelJobsOf(ctx, key, { code: "key_expired", message: expiredWords(expiresAt) });
  await ctx.scheduler.runAfter(0, internal.batches.endOfKey, { apiKeyId: subject, keepsFiles: true });
  await record(ctx, { organizationId, at: now, actor: "system", action: "api-key.expired", subject });
}
