import { type Infer, v } from "convex/values";
import type { Id } from "../_generated/dataModel.js";
import { internalMutation, type MutationCtx } from "../_generated/server.js";
import { internalMemberMutation } from "../model/memberCalls.ts";
import {
  addPasskey,
  passkeyByCredential,
  passkeyRefusal,
  passkeyRefusalWords,
  passkeysOf,
  refusedPasskey,
  storeChallenge,
  takeChallenge,
  usePasskey,
} from "../model/passkeys/stored.ts";
import { startSession } from "../model/people/sessions.ts";
import { signedIn, signedInView } from "../model/people/signIn.ts";
import { countProviderVisit } from "../model/rates.ts";
import { recordRefusedProof, recordRefusedSignIn } from "../model/refusedSignIns.ts";
import { checkMayAddFactor, noteProof } from "../model/signIn/proof.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/*
 * The transactions of actions about passkeys. The actions make random numbers and check signatures.
 */

/** A passkey is a second factor, so a session that lacks one may add and use it. */
const setup = { beforeSecondFactor: true } as const;

const asked = { challenge: v.string(), origin: v.string() };

/** Stores the challenge of a new passkey. @returns what the browser shows about its member. Refuses: proof_needed, second_factor_needed. */
export const beginAdd = internalMemberMutation(
  "account",
  setup,
)({
  args: asked,
  returns: v.object({
    id: v.string(),
    name: v.string(),
    displayName: v.string(),
    known: v.array(v.string()),
  }),
  handler: async (ctx, challenge) => {
    const { _id: memberId, name: displayName, email: name = displayName } = ctx.member;
    await checkMayAddFactor(ctx, ctx, ctx.at);
    await storeChallenge(ctx, { ...challenge, memberId }, ctx.at);
    const known = (await passkeysOf(ctx, memberId)).map(({ credentialId }) => credentialId);
    return { id: memberId, name, displayName, known };
  },
});

/** Uses the challenge of a new passkey up. @returns the origin of the page that asked, or null. */
export const takeOwn = internalMemberMutation(
  "account",
  setup,
)({
  args: { challenge: v.string() },
  returns: v.union(v.string(), v.null()),
  handler: async (ctx, { challenge }) => await takeChallenge(ctx, challenge, ctx.member._id, ctx.at),
});

/** Adds a passkey whose registration was verified. Refuses: proof_needed, second_factor_needed, invalid, conflict. */
export const add = internalMemberMutation(
  "account",
  setup,
)({
  args: {
    name: v.string(),
    credentialId: v.string(),
    publicKey: v.string(),
    counter: v.number(),
    transports: v.array(v.string()),
  },
  returns: v.null(),
  handler: async (ctx, given) => {
    await checkMayAddFactor(ctx, ctx, ctx.at);
    await addPasskey(ctx, ctx.member, given, ctx.at);
    await ctx.db.patch("sessions", ctx.session._id, { secondFactorAt: ctx.at, provenAt: ctx.at });
    await ctx.audit("member.passkey-added", ctx.member._id, given.name);
    return null;
  },
});

/** Stores the challenge of a sign-in or a proof. Refuses: rate_limited. */
export const begin = internalMutation({
  args: asked,
  returns: v.null(),
  handler: async (ctx, challenge) => {
    await countProviderVisit(ctx);
    await storeChallenge(ctx, challenge, Date.now());
    return null;
  },
});

/** Uses such a challenge up. @returns the passkey that has signed it, and the origin of the page that asked; or why not. */
export const take = internalMutation({
  args: { challenge: v.string(), credentialId: v.string() },
  returns: v.union(
    v.object({
      passkeyId: v.id("passkeys"),
      memberId: v.id("members"),
      publicKey: v.string(),
      origin: v.string(),
    }),
    refusedPasskey,
  ),
  handler: async (ctx, { challenge, credentialId }) => {
    const origin = await takeChallenge(ctx, challenge, null, Date.now());
    const passkey = await passkeyByCredential(ctx, credentialId);
    if (passkey === null) return { passkeyId: null, refused: "unknown" as const };
    if (origin === null) return { passkeyId: passkey._id, refused: "old-challenge" as const };
    const { _id: passkeyId, memberId, publicKey } = passkey;
    return { passkeyId, memberId, publicKey, origin };
  },
});

const used = { passkeyId: v.id("passkeys"), counter: v.number() };

/** Starts a session of the member whose passkey has signed. Null: the passkey is gone, or may be a copy. */
export const finishSignIn = internalMutation({
  args: { ...used, session: v.string(), agent: v.optional(v.string()) },
  returns: v.union(signedIn, v.null()),
  handler: async (ctx, { passkeyId, counter, session, agent }) => {
    const now = Date.now();
    const member = await usePasskey(ctx, passkeyId, counter, now);
    if (member === null) {
      await recordRefused(ctx, passkeyId, "copy", now);
      return null;
    }
    const client = agent === undefined ? {} : { agent };
    const begun = { session, method: "passkey", client, secondFactor: true } as const;
    return await signedInView(ctx, member, await startSession(ctx, member, begun, now));
  },
});

/** Notes that the session's member has proved who they are. @returns false if the passkey is not theirs. */
export const finishProof = internalMemberMutation(
  "account",
  setup,
)({
  args: used,
  returns: v.boolean(),
  handler: async (ctx, { passkeyId, counter }) => {
    const passkey = await ctx.db.get("passkeys", passkeyId);
    const isOwn = passkey?.memberId === ctx.member._id;
    if (!isOwn || (await usePasskey(ctx, passkeyId, counter, ctx.at)) === null) {
      await recordRefusedProof(ctx, ctx.member, passkeyRefusalWords(isOwn ? "copy" : "of-another"), ctx.by);
      return false;
    }
    await noteProof(ctx, ctx.session, ctx.member, "passkey", ctx.at);
    return true;
  },
});

/** Records that a passkey did not sign anybody in. */
export const noteRefused = internalMutation({
  args: refusedPasskey.fields,
  returns: v.null(),
  handler: async (ctx, { passkeyId, refused }) => {
    await recordRefused(ctx, passkeyId, refused, Date.now());
    return null;
  },
});

/** Records that a member could not confirm with a passkey who they are. */
export const noteRefusedProof = internalMemberMutation(
  "account",
  setup,
)({
  args: { refused: passkeyRefusal },
  returns: v.null(),
  handler: async (ctx, { refused }) => {
    await recordRefusedProof(ctx, ctx.member, passkeyRefusalWords(refused), ctx.by);
    return null;
  },
});

async function recordRefused(
  ctx: MutationCtx,
  passkeyId: Id<"passkeys"> | null,
  refused: Infer<typeof passkeyRefusal>,
  at: number,
): Promise<void> {
  const passkey = passkeyId === null ? null : await ctx.db.get("passkeys", passkeyId);
  const { organizationId = null, memberId: subject } = passkey ?? {};
  const why = passkeyRefusalWords(passkey === null ? "unknown" : refused);
  await recordRefusedSignIn(ctx, { organizationId, subject, why }, at);
}

export const forgetChallenge = internalMutation({
  args: { challengeId: v.id("passkeyChallenges") },
  returns: v.null(),
  handler: async (ctx, { challengeId }) => {
    if ((await ctx.db.get("passkeyChallenges", challengeId)) !== null) {
      await ctx.db.delete("passkeyChallenges", challengeId);
    }
    return null;
  },
});
