import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { internal } from "../../_generated/api.js";
import { action } from "../../_generated/server.js";
import { memberAction, memberMutation, memberQuery, ownMember } from "../../model/memberCalls.ts";
import { endSessionsOf } from "../../model/people/sessions.ts";
import { signedIn } from "../../model/people/signIn.ts";
import { refuse } from "../../model/refuse.ts";
import { newRecoveryCodes, recoveryHash } from "../../model/secondFactor/recoveryCodes.ts";
import { secondFactorRuleOf, setSecondFactorRule } from "../../model/secondFactor/required.ts";
import { deleteSecondFactor } from "../../model/secondFactor/stored.ts";
import { newTotpSecret, otpauthUri } from "../../model/secondFactor/totp.ts";
import { checkProof } from "../../model/signIn/proof.ts";
import { readCode, secretPurpose } from "../../model/signIn/readCode.ts";
import { forgetSecondFactor } from "../../model/signIn/resetSecondFactor.ts";
import { seal } from "../../model/signIn/sealed.ts";
import { secondFactorRule } from "../../model/validators/people.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** A session that lacks a second factor may set one up. */
const setup = { beforeSecondFactor: true } as const;

/**
 * Begins to set up an authenticator app. @returns the secret, and the address that a QR code shows. It counts once a code has
 * confirmed it. Refuses: proof_needed, conflict.
 */
export const begin = memberAction(
  "account",
  setup,
)({
  args: {},
  returns: v.object({ secret: v.string(), uri: v.string() }),
  handler: async (ctx, { session }): Promise<{ secret: string; uri: string }> => {
    const { organization, account } = await ctx.runMutation(internal.access.secondFactor.mayBegin, {
      session,
    });
    const secret = newTotpSecret();
    const sealed = seal(secret, secretPurpose);
    await ctx.runMutation(internal.access.secondFactor.storeSecret, { session, secret: sealed });
    return { secret, uri: otpauthUri(secret, organization, account) };
  },
});

/**
 * Confirms the setup with a code of the app. The member's other sessions end. @returns the recovery codes, which are shown once;
 * null: the code is wrong. Refuses: rate_limited, conflict, proof_needed.
 */
export const confirm = memberAction(
  "account",
  setup,
)({
  args: { code: v.string() },
  returns: v.union(v.array(v.string()), v.null()),
  handler: async (ctx, { session, code }): Promise<string[] | null> => {
    const { secret } = await ctx.runMutation(internal.access.secondFactor.beginOwn, {
      session,
      confirmed: false,
    });
    const given = await readCode(secret, code, Date.now());
    if (given?.kind !== "step") return null;
    const codes = newRecoveryCodes();
    const confirmed = { step: given.step, recoveryHashes: await hashesOf(codes) };
    await ctx.runMutation(internal.access.secondFactor.confirm, { session, ...confirmed });
    return codes;
  },
});

/** Replaces the own recovery codes. @returns the new ones, which are shown once. Refuses: proof_needed, conflict. */
export const renewRecoveryCodes = memberAction("account")({
  args: {},
  returns: v.array(v.string()),
  handler: async (ctx, { session }): Promise<string[]> => {
    const codes = newRecoveryCodes();
    const recoveryHashes = await hashesOf(codes);
    await ctx.runMutation(internal.access.secondFactor.storeRecoveryHashes, { session, recoveryHashes });
    return codes;
  },
});

async function hashesOf(codes: readonly string[]): Promise<string[]> {
  return await Promise.all(
    codes.map(async (code) => (await recoveryHash(code)) ?? refuse("invalid", "This is no recovery code.")),
  );
}

const outcome = v.union(
  v.object({ kind: v.literal("signed-in"), ...signedIn.fields }),
  /** `ended`: no sign-in of this browser waits for a code, or it waited for too long. */
  v.object({ kind: v.literal("refused"), reason: literals("wrong", "ended") }),
);

/**
 * Gives the second factor of a sign-in that asked for it: a code of the app, or a recovery code. `session`: the secret with which
 * the browser began. Refuses: rate_limited.
 */
export const signIn = action({
  args: { session: v.string(), code: v.string() },
  returns: outcome,
  handler: async (ctx, { session, code }): Promise<Infer<typeof outcome>> => {
    const waiting = await ctx.runMutation(internal.access.secondFactor.beginSignIn, { session });
    if (waiting === null) {
      await ctx.runMutation(internal.access.secondFactor.noteEnded, {});
      return { kind: "refused", reason: "ended" };
    }
    const given = await readCode(waiting.secret, code, Date.now());
    const started =
      given === null
        ? null
        : await ctx.runMutation(internal.access.secondFactor.finishSignIn, { session, given });
    if (started !== null) return { kind: "signed-in", ...started };
    await ctx.runMutation(internal.access.secondFactor.noteWrong, { memberId: waiting.memberId });
    return { kind: "refused", reason: "wrong" };
  },
});

/** Proves again who the member is. @returns whether the code was right. Refuses: rate_limited, conflict. */
export const prove = memberAction(
  "account",
  setup,
)({
  args: { code: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { session, code }): Promise<boolean> => {
    const own = await ctx.runMutation(internal.access.secondFactor.beginOwn, { session, confirmed: true });
    const given = await readCode(own.secret, code, Date.now());
    const isRight =
      given !== null && (await ctx.runMutation(internal.access.secondFactor.finishProof, { session, given }));
    if (!isRight) await ctx.runMutation(internal.access.secondFactor.noteWrongProof, { session });
    return isRight;
  },
});

/** Removes the own second factor. The member's other sessions end. Does nothing without one. Refuses: proof_needed. */
export const remove = memberMutation("account")({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const { _id: memberId } = ctx.member;
    await checkProof(ctx, ctx, ctx.at);
    if (!(await deleteSecondFactor(ctx, memberId))) return null;
    await ctx.db.patch("sessions", ctx.session._id, { secondFactorAt: undefined });
    await endSessionsOf(ctx, memberId, ctx.session._id);
    await ctx.audit("member.second-factor-removed", memberId);
    return null;
  },
});

/**
 * Forgets the second factor of a member who lost it. Their sessions end. Only an owner does that for an owner.
 * @returns whether there was one. Refuses: not_found, forbidden.
 */
export const reset = memberMutation("people.change")({
  args: { memberId: v.id("members") },
  returns: v.object({ reset: v.boolean() }),
  handler: async (ctx, { memberId }) => {
    const member = await ownMember(ctx, memberId);
    if (member.roles.includes("owner") && !ctx.member.roles.includes("owner")) {
      refuse("forbidden", "Only an owner can reset the second factor of an owner.");
    }
    return { reset: await forgetSecondFactor(ctx, member, ctx.by) };
  },
});

/** The organization's rule for second factors. */
export const rule = memberQuery("sign-in.read")({
  args: {},
  returns: secondFactorRule,
  handler: async (ctx) => await secondFactorRuleOf(ctx, ctx.organizationId),
});

/** Sets the rule. It counts at once, also for open sessions. */
export const setRule = memberMutation("sign-in.change")({
  args: { rule: secondFactorRule },
  returns: v.null(),
  handler: async (ctx, { rule: wanted }) => {
    await setSecondFactorRule(ctx, ctx.organizationId, wanted, ctx.by);
    return null;
  },
});
