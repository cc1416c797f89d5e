import { expiredWords } from "../../../app/keys/expiry.ts";
import { internal } from "../../_generated/api.js";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { queue } from "../queue.ts";

/** Revokes a key for good. Its jobs and batches are canceled, also running ones. False if it is revoked already. */
export async function revokeKey(ctx: MutationCtx, key: Doc<"apiKeys">, by: Act): Promise<boolean> {
  if (key.revokedAt !== undefined) return false;
  const { _id: subject, organizationId } = key;
  const ended = key.playgroundUntil === undefined ? {} : { playgroundEnded: true };
  await ctx.db.patch("apiKeys", subject, { revokedAt: by.at, former: undefined, ...ended });
  await cancelJobsOf(ctx, key, { code: "key_revoked", message: "This API key was revoked." });
  await ctx.scheduler.runAfter(0, internal.batches.endOfKey, { apiKeyId: subject });
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
  error: { readonly code: "key_revoked" | "key_expired"; readonly message: string },
): Promise<void> {
  await queue.cancelMany(ctx, organizationId, { by: "requester", name, running: true, error });
}

const perRun = 50;

/**
 * Ends what is due: the jobs and batches of keys that have expired, and former secrets. Both are refused by the clock already. The
 * files of an expired key stay until their own end, since an administrator may set a later one. Returns whether there may be more.
 */
export async function endDueKeys(ctx: MutationCtx, now: number): Promise<boolean> {
  const [expired, replaced] = await Promise.all([
    ctx.db
      .query("apiKeys")
      .withIndex("by_expiry", (q) => q.eq("expired", undefined).gt("expiresAt", 0).lte("expiresAt", now))
      .take(perRun),
    ctx.db
      .query("apiKeys")
      .withIndex("by_former_end", (q) => q.gt("former.until", 0).lte("former.until", now))
      .take(perRun),
  ]);
  for (const { _id } of replaced) await ctx.db.patch("apiKeys", _id, { former: undefined });
  for (const key of expired) await endExpired(ctx, key, now);
  return expired.length === perRun || replaced.length === perRun;
}

async function endExpired(ctx: MutationCtx, key: Doc<"apiKeys">, now: number): Promise<void> {
  const { _id: subject, organizationId, expiresAt = now } = key;
  await ctx.db.patch("apiKeys", subject, { expired: true });
  if (key.revokedAt !== undefined) return;
  await cancelJobsOf(ctx, key, { code: "key_expired", message: expiredWords(expiresAt) });
  await ctx.scheduler.runAfter(0, internal.batches.endOfKey, { apiKeyId: subject, keepsFiles: true });
  await record(ctx, { organizationId, at: now, actor: "system", action: "api-key.expired", subject });
}
