import { plural } from "../../../app/format/quantity.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { endSessionsOf } from "../people/sessions.ts";

/** More than a member can have by honest means: each of them lasts for minutes or a day. */
const mostOfOneKind = 500;

/**
 * Ends a member's sessions, except one, and all that would become a session: sign-ins that have begun, and links. @returns how
 * many sessions.
 */
export async function endAccessOf(
  ctx: MutationCtx,
  { _id: subject, organizationId }: Doc<"members">,
  kept: Id<"sessions"> | null,
  by: Act,
): Promise<number> {
  const sessions = await endSessionsOf(ctx, subject, kept);
  const begun = await endSignInsOf(ctx, subject, by.at);
  const parts = [
    ...(sessions === 0 ? [] : [plural(sessions, ["# session", "# sessions"])]),
    ...(begun === 0
      ? []
      : [plural(begun, ["# unfinished sign-in or unused link", "# unfinished sign-ins or links"])]),
  ];
  const detail = parts.join(", ");
  if (detail === "") return 0;
  await record(ctx, { organizationId, ...by, action: "member.session-ended", subject, detail });
  return sessions;
}

/**
 * Ends the sign-ins of a member that have begun: those that wait for a second factor, come back from a provider, or register a
 * passkey. Links that sign in or reset a password end, too. @returns how many.
 */
export async function endSignInsOf(ctx: MutationCtx, memberId: Id<"members">, now: number): Promise<number> {
  const { db } = ctx;
  const pending = await db
    .query("pendingSignIns")
    .withIndex("by_member", (q) => q.eq("memberId", memberId))
    .take(mostOfOneKind);
  const attempts = await db
    .query("ssoAttempts")
    .withIndex("by_member", (q) => q.eq("memberId", memberId))
    .take(mostOfOneKind);
  const challenges = await db
    .query("passkeyChallenges")
    .withIndex("by_member", (q) => q.eq("memberId", memberId))
    .take(mostOfOneKind);
  const links = await db
    .query("signInLinks")
    .withIndex("by_member", (q) => q.eq("memberId", memberId).eq("usedAt", undefined).gt("expiresAt", now))
    .take(mostOfOneKind);
  for (const { _id } of pending) await db.delete("pendingSignIns", _id);
  for (const { _id } of attempts) await db.delete("ssoAttempts", _id);
  for (const { _id } of challenges) await db.delete("passkeyChallenges", _id);
  // The row stays, so that whoever opens the link is told that it has ended.
  for (const { _id } of links) await db.patch("signInLinks", _id, { expiresAt: now });
  return pending.length + attempts.length + challenges.length + links.length;
}
