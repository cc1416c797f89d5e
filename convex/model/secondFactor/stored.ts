import { type Infer, v } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { refuse } from "../refuse.ts";

/** A member's second factor as they see it. */
export const secondFactorView = v.object({ confirmedAt: v.number(), recoveryCodesLeft: v.number() });

/** A typed code, as an action has understood it. */
export const givenCode = v.union(
  v.object({ kind: v.literal("step"), step: v.number() }),
  v.object({ kind: v.literal("recovery"), hash: v.string() }),
);

type Confirmed = Doc<"secondFactors"> & { readonly confirmedAt: number };

/** The member's row, confirmed or not. */
export async function secondFactorRow(
  ctx: QueryCtx,
  memberId: Id<"members">,
): Promise<Doc<"secondFactors"> | null> {
  return await ctx.db
    .query("secondFactors")
    .withIndex("by_member", (q) => q.eq("memberId", memberId))
    .unique();
}

/** The second factor with which the member signs in, or null. */
export async function secondFactorOf(ctx: QueryCtx, memberId: Id<"members">): Promise<Confirmed | null> {
  const row = await secondFactorRow(ctx, memberId);
  return row?.confirmedAt === undefined ? null : { ...row, confirmedAt: row.confirmedAt };
}

export function viewOf({ confirmedAt, recoveryHashes }: Confirmed): Infer<typeof secondFactorView> {
  return { confirmedAt, recoveryCodesLeft: recoveryHashes.length };
}

/** Stores the secret of a setup that has begun. An earlier one that was not confirmed ends. Refuses: conflict. */
export async function storeSetup(
  ctx: MutationCtx,
  { _id: memberId, organizationId }: Doc<"members">,
  secret: string,
): Promise<void> {
  const earlier = await secondFactorRow(ctx, memberId);
  if (earlier?.confirmedAt !== undefined) refuse("conflict", "Remove your present second factor first.");
  if (earlier !== null) await ctx.db.delete("secondFactors", earlier._id);
  await ctx.db.insert("secondFactors", {
    organizationId,
    memberId,
    secret,
    lastStep: 0,
    recoveryHashes: [],
  });
}

/** Confirms a setup with the step of its first code. Refuses: conflict. */
export async function confirmSetup(
  ctx: MutationCtx,
  memberId: Id<"members">,
  confirmed: { readonly step: number; readonly recoveryHashes: string[] },
  now: number,
): Promise<void> {
  const row = await secondFactorRow(ctx, memberId);
  if (row === null || row.confirmedAt !== undefined) refuse("conflict", "This setup has ended. Begin again.");
  const { step: lastStep, recoveryHashes } = confirmed;
  await ctx.db.patch("secondFactors", row._id, { confirmedAt: now, lastStep, recoveryHashes });
}

/** Uses a code up. @returns whether it was right and not used before. */
export async function acceptCode(
  ctx: MutationCtx,
  factor: Doc<"secondFactors">,
  given: Infer<typeof givenCode>,
  now: number,
): Promise<boolean> {
  const { _id, organizationId, memberId: subject, lastStep, recoveryHashes } = factor;
  if (given.kind === "step") {
    if (given.step <= lastStep) return false;
    await ctx.db.patch("secondFactors", _id, { lastStep: given.step });
    return true;
  }
  const left = recoveryHashes.filter((hash) => hash !== given.hash);
  if (left.length === recoveryHashes.length) return false;
  await ctx.db.patch("secondFactors", _id, { recoveryHashes: left });
  const what = {
    action: "member.recovery-code-used",
    subject,
    detail: `${String(left.length)} left`,
  } as const;
  await record(ctx, { organizationId, at: now, actor: "system", ...what });
  return true;
}

/** Forgets a member's second factor. @returns whether there was one. */
export async function deleteSecondFactor(ctx: MutationCtx, memberId: Id<"members">): Promise<boolean> {
  const row = await secondFactorRow(ctx, memberId);
  if (row !== null) await ctx.db.delete("secondFactors", row._id);
  return row?.confirmedAt !== undefined;
}

/** Records that a wrong code was tried for a member. */
export async function noteWrongCode(ctx: MutationCtx, memberId: Id<"members">, at: number): Promise<void> {
  const member = await ctx.db.get("members", memberId);
  if (member === null) return;
  const { organizationId } = member;
  // A session is not named: only the browser knows which one waits for the code. The address is the caller's.
  const by: Act = { actor: "visitor", at };
  const what = { action: "member.sign-in-refused", subject: memberId, detail: "wrong code" } as const;
  await record(ctx, { organizationId, ...by, ...what });
}
