import { v } from "convex/values";
import { internalMutation } from "../_generated/server.js";
import { internalMemberMutation } from "../model/memberCalls.ts";
import { endSessionsOf } from "../model/people/sessions.ts";
import { signedIn } from "../model/people/signIn.ts";
import { countSecondFactor } from "../model/rates.ts";
import { present, refuse } from "../model/refuse.ts";
import { recordRefusedProof, recordRefusedSignIn } from "../model/refusedSignIns.ts";
import {
  acceptCode,
  confirmSetup,
  givenCode,
  noteWrongCode,
  secondFactorOf,
  secondFactorRow,
  storeSetup,
} from "../model/secondFactor/stored.ts";
import { finishPending, pendingOf } from "../model/signIn/begin.ts";
import { checkMayAddFactor, checkProof, noteProof } from "../model/signIn/proof.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/*
 * The transactions of actions about second factors. The actions make random numbers, and open and seal secrets.
 */

/** A session that lacks a second factor may set one up. */
const setup = { beforeSecondFactor: true } as const;

const sealed = v.object({ memberId: v.id("members"), secret: v.string() });

/** Checks that the member may set a second factor up. @returns their names in an app. Refuses: proof_needed, second_factor_needed, conflict. */
export const mayBegin = internalMemberMutation(
  "account",
  setup,
)({
  args: {},
  returns: v.object({ organization: v.string(), account: v.string() }),
  handler: async (ctx) => {
    await checkMayAddFactor(ctx, ctx, ctx.at);
    if ((await secondFactorOf(ctx, ctx.member._id)) !== null) {
      refuse("conflict", "Remove your present second factor first.");
    }
    const { name } = present(await ctx.db.get("organizations", ctx.organizationId), "organization");
    return { organization: name, account: ctx.member.email ?? ctx.member.name };
  },
});

/** Stores the sealed secret of a setup. Refuses: proof_needed, second_factor_needed, conflict. */
export const storeSecret = internalMemberMutation(
  "account",
  setup,
)({
  args: { secret: v.string() },
  returns: v.null(),
  handler: async (ctx, { secret }) => {
    await checkMayAddFactor(ctx, ctx, ctx.at);
    await storeSetup(ctx, ctx.member, secret);
    return null;
  },
});

/** Counts a try, and returns the member's sealed secret. Refuses: rate_limited, conflict. */
export const beginOwn = internalMemberMutation(
  "account",
  setup,
)({
  args: { confirmed: v.boolean() },
  returns: sealed,
  handler: async (ctx, { confirmed }) => {
    const memberId = ctx.member._id;
    await countSecondFactor(ctx, memberId);
    const row = await secondFactorRow(ctx, memberId);
    if (row === null || (row.confirmedAt !== undefined) !== confirmed) {
      refuse("conflict", confirmed ? "You have no second factor." : "This setup has ended. Begin again.");
    }
    return { memberId, secret: row.secret };
  },
});

/** Ends a setup with its first code. The member's other sessions end: they had no second factor. Refuses: proof_needed,
 * second_factor_needed, conflict. */
export const confirm = internalMemberMutation(
  "account",
  setup,
)({
  args: { step: v.number(), recoveryHashes: v.array(v.string()) },
  returns: v.null(),
  handler: async (ctx, confirmed) => {
    const { _id: memberId } = ctx.member;
    await checkMayAddFactor(ctx, ctx, ctx.at);
    await confirmSetup(ctx, memberId, confirmed, ctx.at);
    await ctx.db.patch("sessions", ctx.session._id, { secondFactorAt: ctx.at, provenAt: ctx.at });
    await endSessionsOf(ctx, memberId, ctx.session._id);
    await ctx.audit("member.second-factor-set", memberId);
    return null;
  },
});

/** Replaces the own recovery codes. Refuses: proof_needed, conflict. */
export const storeRecoveryHashes = internalMemberMutation("account")({
  args: { recoveryHashes: v.array(v.string()) },
  returns: v.null(),
  handler: async (ctx, { recoveryHashes }) => {
    await checkProof(ctx, ctx, ctx.at);
    const factor = await secondFactorOf(ctx, ctx.member._id);
    if (factor === null) return refuse("conflict", "You have no second factor.");
    await ctx.db.patch("secondFactors", factor._id, { recoveryHashes });
    await ctx.audit("member.recovery-codes-renewed", ctx.member._id);
    return null;
  },
});

/** Uses a code up as a proof of the session's member. @returns whether it was right. */
export const finishProof = internalMemberMutation(
  "account",
  setup,
)({
  args: { given: givenCode },
  returns: v.boolean(),
  handler: async (ctx, { given }) => {
    const factor = await secondFactorOf(ctx, ctx.member._id);
    if (factor === null || !(await acceptCode(ctx, factor, given, ctx.at))) return false;
    await noteProof(ctx, ctx.session, ctx.member, "second factor", ctx.at);
    return true;
  },
});

/** Counts a try, and returns the sealed secret for a sign-in that waits. Null: none waits. Refuses: rate_limited. */
export const beginSignIn = internalMutation({
  args: { session: v.string() },
  returns: v.union(sealed, v.null()),
  handler: async (ctx, { session }) => {
    const found = await pendingOf(ctx, session, Date.now());
    const factor = found === null ? null : await secondFactorOf(ctx, found.member._id);
    if (factor === null) return null;
    await countSecondFactor(ctx, factor.memberId);
    return { memberId: factor.memberId, secret: factor.secret };
  },
});

/** Uses a code up, and starts the session that waited for it. Null: it was wrong, or used before. */
export const finishSignIn = internalMutation({
  args: { session: v.string(), given: givenCode },
  returns: v.union(signedIn, v.null()),
  handler: async (ctx, { session, given }) => {
    const now = Date.now();
    const found = await pendingOf(ctx, session, now);
    const factor = found === null ? null : await secondFactorOf(ctx, found.member._id);
    if (found === null || factor === null) return null;
    return (await acceptCode(ctx, factor, given, now)) ? await finishPending(ctx, found, session, now) : null;
  },
});

export const noteWrong = internalMutation({
  args: { memberId: v.id("members") },
  returns: v.null(),
  handler: async (ctx, { memberId }) => {
    await noteWrongCode(ctx, memberId, Date.now());
    return null;
  },
});

/** Records a code for which no sign-in waits: it has ended, or never began. Nobody knows the member. */
export const noteEnded = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const why = "second factor: no sign-in waits for it";
    await recordRefusedSignIn(ctx, { organizationId: null, why }, Date.now());
    return null;
  },
});

/** Records that a member could not confirm with a code who they are. */
export const noteWrongProof = internalMemberMutation(
  "account",
  setup,
)({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    await recordRefusedProof(ctx, ctx.member, "wrong code", ctx.by);
    return null;
  },
});

export const forgetPending = internalMutation({
  args: { pendingId: v.id("pendingSignIns") },
  returns: v.null(),
  handler: async (ctx, { pendingId }) => {
    if ((await ctx.db.get("pendingSignIns", pendingId)) !== null) {
      await ctx.db.delete("pendingSignIns", pendingId);
    }
    return null;
  },
});
