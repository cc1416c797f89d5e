import { proofMs } from "../../../app/people/fresh-rights.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { record } from "../audit.ts";
import type { SignedIn } from "../authenticate.ts";
import { refuse } from "../refuse.ts";
import { checkMaySetUp } from "../secondFactor/required.ts";
import { secondFactorOf } from "../secondFactor/stored.ts";

/** How a member can prove who they are, beside one-time links. */
type Proofs = {
  readonly password: boolean;
  readonly singleSignOn: boolean;
  readonly secondFactor: boolean;
  readonly passkey: boolean;
};

type ProofMethod = "password" | "single-sign-on" | "second factor" | "passkey";

export async function proofsOf(ctx: QueryCtx, memberId: Id<"members">): Promise<Proofs> {
  const password = await ctx.db
    .query("passwords")
    .withIndex("by_member", (q) => q.eq("memberId", memberId))
    .first();
  const account = await ctx.db
    .query("ssoAccounts")
    .withIndex("by_member", (q) => q.eq("memberId", memberId))
    .first();
  const secondFactor = (await secondFactorOf(ctx, memberId)) !== null;
  const passkey = await ctx.db
    .query("passkeys")
    .withIndex("by_member", (q) => q.eq("memberId", memberId))
    .first();
  return {
    password: password !== null,
    singleSignOn: account !== null,
    secondFactor,
    passkey: passkey !== null,
  };
}

/**
 * Refuses (proof_needed) a session whose member proved long ago who they are. A member who has only one-time links is let
 * through: they could not prove it again without help.
 */
export async function checkProof(ctx: QueryCtx, { session, member }: SignedIn, now: number): Promise<void> {
  if (now - (session.provenAt ?? 0) <= proofMs) return;
  if (!Object.values(await proofsOf(ctx, member._id)).includes(true)) return;
  refuse("proof_needed", "Confirm that it is you, and try again.");
}

/**
 * Refuses to add a second factor or a passkey without a recent proof (proof_needed), and in a session that lacks the second
 * factor that its member has already (second_factor_needed).
 */
export async function checkMayAddFactor(
  ctx: QueryCtx,
  { session, member }: SignedIn,
  now: number,
): Promise<void> {
  await checkProof(ctx, { session, member }, now);
  const { secondFactor, passkey } = await proofsOf(ctx, member._id);
  await checkMaySetUp(ctx, session, secondFactor || passkey);
}

/** Notes that the member has just proved who they are. */
export async function noteProof(
  ctx: MutationCtx,
  { _id: sessionId, organizationId }: Doc<"sessions">,
  { _id: memberId }: Doc<"members">,
  method: ProofMethod,
  now: number,
): Promise<void> {
  const isSecond = method === "second factor" || method === "passkey";
  const second = isSecond ? { secondFactorAt: now } : {};
  await ctx.db.patch("sessions", sessionId, { provenAt: now, ...second });
  const actor = { memberId, sessionId };
  const what = { action: "member.proved", subject: memberId, detail: method } as const;
  await record(ctx, { organizationId, at: now, actor, ...what });
}
