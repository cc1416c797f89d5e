import { overlap } from "../../../app/keys/expiry.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { usableKey } from "../authenticate.ts";
import { boundedInteger, boundedText, checkedHash, refuse } from "../refuse.ts";

/** The longest part of a secret that may be shown. */
const maxPrefixChars = 32;

/** The hash of a new secret, and its part that may be shown. `prefix`: the part. Refuses: invalid, conflict (it is known). */
export async function checkedSecret(
  ctx: QueryCtx,
  secret: { readonly keyHash: string; readonly prefix: string },
): Promise<{ keyHash: string; prefix: string }> {
  const keyHash = checkedHash(secret.keyHash, "keyHash");
  const [current, former] = await Promise.all([
    ctx.db
      .query("apiKeys")
      .withIndex("by_hash", (q) => q.eq("keyHash", keyHash))
      .first(),
    ctx.db
      .query("apiKeys")
      .withIndex("by_former_hash", (q) => q.eq("former.keyHash", keyHash))
      .first(),
  ]);
  if (current !== null || former !== null) refuse("conflict", "This API key exists already.");
  return { keyHash, prefix: boundedText(secret.prefix, "prefix", maxPrefixChars) };
}

/**
 * Gives a key a new secret. The present one works for `overlapMs` more; 0: it ends at once. Refuses: unauthorized, revoked, expired,
 * invalid, conflict (a former secret still works, or the new one is known).
 */
export async function rotateKey(
  ctx: MutationCtx,
  found: Doc<"apiKeys">,
  given: { readonly keyHash: string; readonly prefix: string; readonly overlapMs: number },
  by: Act,
): Promise<void> {
  const key = usableKey(found);
  const { _id: subject, organizationId } = key;
  if (key.playgroundUntil !== undefined) refuse("invalid", "A key of the playground ends by itself.");
  if (key.former !== undefined && key.former.until > by.at)
    refuse("conflict", "The former secret of this key still works. End it first.");
  const overlapMs = boundedInteger(given.overlapMs, "overlapMs", 0, overlap.most);
  const secret = await checkedSecret(ctx, given);
  const until = by.at + overlapMs;
  const former = overlapMs === 0 ? undefined : { keyHash: key.keyHash, prefix: key.prefix, until };
  await ctx.db.patch("apiKeys", subject, { ...secret, former, secretChangedAt: by.at });
  const detail =
    former === undefined
      ? "the former secret ended at once"
      : `the former secret works until ${new Date(until).toISOString()}`;
  await record(ctx, { organizationId, ...by, action: "api-key.rotated", subject, detail });
}

/** Ends a key's former secret before its time. Does nothing without one. */
export async function endFormerSecret(ctx: MutationCtx, key: Doc<"apiKeys">, by: Act): Promise<void> {
  if (key.former === undefined) return;
  const { _id: subject, organizationId } = key;
  await ctx.db.patch("apiKeys", subject, { former: undefined, secretChangedAt: by.at });
  await record(ctx, { organizationId, ...by, action: "api-key.former-secret-ended", subject });
}
