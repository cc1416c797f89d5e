import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { memberByEmail } from "../people/members.ts";
import { countPassword } from "../rates.ts";

/** The stored password of a member, with which an action compares. */
export type StoredPassword = { readonly memberId: Id<"members">; readonly hash: string };

/** The member's row, or null. */
export async function passwordOf(ctx: QueryCtx, memberId: Id<"members">): Promise<Doc<"passwords"> | null> {
  return await ctx.db
    .query("passwords")
    .withIndex("by_member", (q) => q.eq("memberId", memberId))
    .unique();
}

/** Counts a try, whether the member exists or not. Null: nobody has this address and a password. Refuses: rate_limited. */
export async function beginPasswordSignIn(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  given: string,
): Promise<StoredPassword | null> {
  const email = given.trim().toLowerCase();
  await countPassword(ctx, `${organizationId}/${email}`);
  const member = await memberByEmail(ctx, organizationId, email);
  const row = member === null ? null : await passwordOf(ctx, member._id);
  return row === null ? null : { memberId: row.memberId, hash: row.hash };
}

/** The member, if the password that was compared is still theirs. */
export async function memberWithPassword(
  ctx: QueryCtx,
  { memberId, hash }: StoredPassword,
): Promise<Doc<"members"> | null> {
  const row = await passwordOf(ctx, memberId);
  const member = await ctx.db.get("members", memberId);
  return row?.hash === hash && member !== null && member.removedAt === undefined ? member : null;
}

/** Records that a wrong password was tried for a member. */
export async function noteWrongPassword(ctx: MutationCtx, memberId: Id<"members">, by: Act): Promise<void> {
  const member = await ctx.db.get("members", memberId);
  if (member === null) return;
  const what = { action: "member.sign-in-refused", subject: memberId, detail: "wrong password" } as const;
  await record(ctx, { organizationId: member.organizationId, ...by, ...what });
}

/** Stores the hash of a member's new password. */
export async function storePassword(
  ctx: MutationCtx,
  { _id: memberId, organizationId }: Doc<"members">,
  hash: string,
  now: number,
): Promise<void> {
  const row = await passwordOf(ctx, memberId);
  if (row === null) await ctx.db.insert("passwords", { organizationId, memberId, hash, changedAt: now });
  else await ctx.db.patch("passwords", row._id, { hash, changedAt: now });
}
