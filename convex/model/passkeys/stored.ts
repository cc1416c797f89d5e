import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { visibleText } from "../../../app/format/visible.ts";
import { limits } from "../../../app/jobs/limits.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { hashSecret } from "../authenticate.ts";
import { boundedText, refuse } from "../refuse.ts";

/** Why a passkey is refused, in words for the audit trail. */
const refusals = {
  unknown: "nobody has it",
  "old-challenge": "its challenge was used already or too old",
  "wrong-signature": "wrong signature",
  copy: "its counter did not grow, so it may be a copy",
  "of-another": "it belongs to another member",
} as const;

export const passkeyRefusal = literals("unknown", "old-challenge", "wrong-signature", "copy", "of-another");

/** A passkey that is refused. Null: nobody has it. */
export const refusedPasskey = v.object({
  passkeyId: v.union(v.id("passkeys"), v.null()),
  refused: passkeyRefusal,
});

export function passkeyRefusalWords(refused: Infer<typeof passkeyRefusal>): string {
  return `passkey: ${refusals[refused]}`;
}

const challengeMs = 5 * 60_000;
const maxPasskeys = 20;

export const passkeyRow = v.object({
  passkeyId: v.id("passkeys"),
  name: v.string(),
  createdAt: v.number(),
  usedAt: v.union(v.number(), v.null()),
});

export function passkeyView({ _id, name, createdAt, usedAt }: Doc<"passkeys">): Infer<typeof passkeyRow> {
  return { passkeyId: _id, name: visibleText(name), createdAt, usedAt: usedAt ?? null };
}

/** A member's passkeys, oldest first. */
export async function passkeysOf(ctx: QueryCtx, memberId: Id<"members">): Promise<Doc<"passkeys">[]> {
  return await ctx.db
    .query("passkeys")
    .withIndex("by_member", (q) => q.eq("memberId", memberId))
    .take(maxPasskeys);
}

/** A passkey of the member. Refuses: not_found. */
export async function ownPasskey(
  ctx: QueryCtx,
  memberId: Id<"members">,
  passkeyId: Id<"passkeys">,
): Promise<Doc<"passkeys">> {
  const passkey = await ctx.db.get("passkeys", passkeyId);
  return passkey?.memberId === memberId ? passkey : refuse("not_found", "There is no such passkey.");
}

export async function passkeyByCredential(
  ctx: QueryCtx,
  credentialId: string,
): Promise<Doc<"passkeys"> | null> {
  return await ctx.db
    .query("passkeys")
    .withIndex("by_credential", (q) => q.eq("credentialId", credentialId))
    .unique();
}

/** Stores a challenge, which an action made. */
export async function storeChallenge(
  ctx: MutationCtx,
  {
    challenge,
    ...row
  }: { readonly challenge: string; readonly origin: string; readonly memberId?: Id<"members"> },
  now: number,
): Promise<void> {
  const challengeHash = await hashSecret(challenge);
  const challengeId = await ctx.db.insert("passkeyChallenges", {
    ...row,
    challengeHash,
    expiresAt: now + challengeMs,
  });
  await ctx.scheduler.runAfter(challengeMs, internal.access.passkeys.forgetChallenge, { challengeId });
}

/**
 * Uses a challenge up. @returns the origin of the page that asked for it; null: nobody did, it was used, or took too long.
 * @param memberId who registers a passkey; null for a sign-in or a proof.
 */
export async function takeChallenge(
  ctx: MutationCtx,
  challenge: string,
  memberId: Id<"members"> | null,
  now: number,
): Promise<string | null> {
  const challengeHash = await hashSecret(challenge);
  const found = await ctx.db
    .query("passkeyChallenges")
    .withIndex("by_challenge", (q) => q.eq("challengeHash", challengeHash))
    .unique();
  if (found === null) return null;
  await ctx.db.delete("passkeyChallenges", found._id);
  return found.expiresAt > now && (found.memberId ?? null) === memberId ? found.origin : null;
}

/** Adds a passkey whose registration was verified. Refuses: invalid, conflict. */
export async function addPasskey(
  ctx: MutationCtx,
  { _id: memberId, organizationId }: Doc<"members">,
  given: {
    readonly credentialId: string;
    readonly publicKey: string;
    readonly counter: number;
    readonly transports: string[];
    readonly name: string;
  },
  now: number,
): Promise<void> {
  const name = boundedText(given.name, "The name", limits.nameChars);
  if ((await passkeysOf(ctx, memberId)).length >= maxPasskeys) {
    refuse("conflict", `A member has at most ${String(maxPasskeys)} passkeys.`);
  }
  if ((await passkeyByCredential(ctx, given.credentialId)) !== null) {
    refuse("conflict", "This passkey is registered already.");
  }
  await ctx.db.insert("passkeys", { ...given, name, organizationId, memberId, createdAt: now });
}

/**
 * Notes the use of a passkey whose signature was verified. @returns its member; null: it is gone, or its counter did not grow, so
 * it may be a copy.
 */
export async function usePasskey(
  ctx: MutationCtx,
  passkeyId: Id<"passkeys">,
  counter: number,
  now: number,
): Promise<Doc<"members"> | null> {
  const passkey = await ctx.db.get("passkeys", passkeyId);
  if (passkey === null) return null;
  const counts = counter > 0 || passkey.counter > 0;
  if (counts && counter <= passkey.counter) return null;
  const member = await ctx.db.get("members", passkey.memberId);
  if (member === null || member.removedAt !== undefined) return null;
  await ctx.db.patch("passkeys", passkeyId, { counter, usedAt: now });
  return member;
}
