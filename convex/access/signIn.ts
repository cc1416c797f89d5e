import { type Infer, v } from "convex/values";
import type { Doc } from "../_generated/dataModel.js";
import { internalMutation } from "../_generated/server.js";
import { authenticateSession, findSession } from "../model/authenticate.ts";
import { checkRight as check, internalMemberMutation } from "../model/memberCalls.ts";
import { endSessionsOf } from "../model/people/sessions.ts";
import { countPassword } from "../model/rates.ts";
import { present } from "../model/refuse.ts";
import { refusedAct } from "../model/refusedActs.ts";
import { recordRefusedSignIn } from "../model/refusedSignIns.ts";
import { beginAttempt, takeState } from "../model/signIn/attempts.ts";
import { beginSession, begun } from "../model/signIn/begin.ts";
import { endSignInsOf } from "../model/signIn/endAccess.ts";
import { answerAttempt } from "../model/signIn/finish.ts";
import {
  beginPasswordSignIn,
  memberWithPassword,
  noteWrongPassword,
  passwordOf,
  storePassword as store,
} from "../model/signIn/passwords.ts";
import { checkProof, noteProof } from "../model/signIn/proof.ts";
import { ownProvider, providerRow, providerView, saveProvider } from "../model/signIn/providers.ts";
import { beginRecheck, finishRecheck } from "../model/signIn/rechecks.ts";
import { providerSettings, right } from "../model/validators/people.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/*
 * The transactions of actions that sign members in. The actions do all that is slow or random; a transaction here checks
 * again whatever may have changed meanwhile.
 */

const storedPassword = v.object({ memberId: v.id("members"), hash: v.string() });

/** Refuses as `checkRight` of model/memberCalls.ts does. `name`: the action that was called. */
export const checkRight = internalMutation({
  args: { session: v.string(), right, beforeSecondFactor: v.boolean(), name: v.string() },
  returns: v.union(refusedAct, v.null()),
  handler: async (ctx, call) => await check(ctx, call),
});

/** Counts a try of a password, and returns what it is compared with. Refuses: rate_limited. */
export const beginPassword = internalMutation({
  args: { organizationId: v.id("organizations"), email: v.string() },
  returns: v.union(storedPassword, v.null()),
  handler: async (ctx, { organizationId, email }) => await beginPasswordSignIn(ctx, organizationId, email),
});

/** Records a sign-in with a wrong password. Null: nobody has the address, which is not recorded: it may be anything. */
export const noteWrong = internalMutation({
  args: { organizationId: v.id("organizations"), memberId: v.union(v.id("members"), v.null()) },
  returns: v.null(),
  handler: async (ctx, { organizationId, memberId }) => {
    const at = Date.now();
    if (memberId !== null) await noteWrongPassword(ctx, memberId, { actor: "visitor", at });
    else await recordRefusedSignIn(ctx, { organizationId, why: "password: nobody has this address" }, at);
    return null;
  },
});

/** Records that a member could not prove who they are. */
export const noteWrongProof = internalMemberMutation("account", { beforeSecondFactor: true })({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    await noteWrongPassword(ctx, ctx.member._id, ctx.by);
    return null;
  },
});

/** Signs in the member whose password was right. Null: it has changed meanwhile. Refuses: invalid, conflict. */
export const finishPassword = internalMutation({
  args: { stored: storedPassword, session: v.string(), agent: v.optional(v.string()) },
  returns: v.union(begun, v.null()),
  handler: async (ctx, { stored, session, agent }) => {
    const now = Date.now();
    const member = await memberWithPassword(ctx, stored);
    if (member === null) return null;
    const client = agent === undefined ? {} : { agent };
    return await beginSession(ctx, member, { session, method: "password", client }, now);
  },
});

/** Whatever others know about a member who sets a password. Refuses: unauthorized, proof_needed. */
export const aboutSetter = internalMemberMutation("account")({
  args: {},
  returns: v.array(v.string()),
  handler: async (ctx) => {
    await checkProof(ctx, ctx, ctx.at);
    const organization = present(await ctx.db.get("organizations", ctx.organizationId), "organization");
    return [ctx.member.name, ctx.member.email ?? "", organization.name];
  },
});

/** Sets the own password. The member's other sessions end, and so do unfinished sign-ins and unused links. Refuses: unauthorized, proof_needed. */
export const storePassword = internalMemberMutation("account")({
  args: { hash: v.string() },
  returns: v.null(),
  handler: async (ctx, { hash }) => {
    await checkProof(ctx, ctx, ctx.at);
    await store(ctx, ctx.member, hash, ctx.at);
    await endSessionsOf(ctx, ctx.member._id, ctx.session._id);
    await endSignInsOf(ctx, ctx.member._id, ctx.at);
    await ctx.audit("member.password-set", ctx.member._id);
    return null;
  },
});

/** Counts a try of the own password, and returns what it is compared with. Refuses: unauthorized, rate_limited. */
export const ownPassword = internalMutation({
  args: { session: v.string() },
  returns: v.union(storedPassword, v.null()),
  handler: async (ctx, { session }) => {
    const { member } = await authenticateSession(ctx, session, Date.now());
    await countPassword(ctx, `proof/${member._id}`);
    const row = await passwordOf(ctx, member._id);
    return row === null ? null : { memberId: row.memberId, hash: row.hash };
  },
});

/** Notes that the session's member has just typed their password. Refuses: unauthorized. */
export const passwordProved = internalMutation({
  args: { session: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const now = Date.now();
    const { session, member } = await authenticateSession(ctx, args.session, now);
    await noteProof(ctx, session, member, "password", now);
    return null;
  },
});

/** A provider with its sealed secret, for the actions that talk to it. */
const providerWithSecret = v.object({ ...providerRow.fields, clientSecret: v.string() });

const identity = v.object({
  subject: v.string(),
  email: v.union(v.string(), v.null()),
  emailVerified: v.boolean(),
  name: v.union(v.string(), v.null()),
  groups: v.array(v.string()),
  groupsCut: v.boolean(),
});

/** A person as a provider describes them. The refresh token is sealed. */
const answer = v.object({ identity, refreshToken: v.union(v.string(), v.null()) });

function withSecret(provider: Doc<"ssoProviders">): Infer<typeof providerWithSecret> {
  return { ...providerView(provider), clientSecret: provider.clientSecret };
}

/** Notes that somebody goes to a provider. `isProof`: they are signed in already. Refuses: not_found, rate_limited. */
export const begin = internalMutation({
  args: {
    providerId: v.id("ssoProviders"),
    state: v.string(),
    session: v.string(),
    nonce: v.string(),
    verifier: v.string(),
    returnTo: v.string(),
  },
  returns: v.object({ provider: providerWithSecret, isProof: v.boolean() }),
  handler: async (ctx, attempt) => {
    const now = Date.now();
    const isProof = (await findSession(ctx, attempt.session, now)) !== null;
    return { provider: withSecret(await beginAttempt(ctx, attempt, now)), isProof };
  },
});

/** The attempt of a provider's answer. Its state counts once. */
export const take = internalMutation({
  args: { state: v.string() },
  returns: v.union(
    v.object({
      attemptId: v.id("ssoAttempts"),
      provider: providerWithSecret,
      nonce: v.string(),
      verifier: v.string(),
      returnTo: v.string(),
    }),
    v.null(),
  ),
  handler: async (ctx, { state }) => {
    const taken = await takeState(ctx, state, Date.now());
    if (taken === null) return null;
    const { _id: attemptId, nonce, verifier, returnTo } = taken.attempt;
    return { attemptId, provider: withSecret(taken.provider), nonce, verifier, returnTo };
  },
});

/** Finds the member whom the provider describes. @returns why they may not sign in; null if they may. */
export const admit = internalMutation({
  args: { attemptId: v.id("ssoAttempts"), code: v.string(), answer },
  returns: v.union(v.string(), v.null()),
  handler: async (ctx, { attemptId, code, answer: given }) =>
    await answerAttempt(ctx, attemptId, code, given, Date.now()),
});

export const forgetAttempt = internalMutation({
  args: { attemptId: v.id("ssoAttempts") },
  returns: v.null(),
  handler: async (ctx, { attemptId }) => {
    if ((await ctx.db.get("ssoAttempts", attemptId)) !== null) await ctx.db.delete("ssoAttempts", attemptId);
    return null;
  },
});

/** The provider to ask again about a session, if that is still needed. The next check is then due in an hour. */
export const beginCheck = internalMutation({
  args: { watchId: v.id("ssoSessions") },
  returns: v.union(
    v.object({ provider: providerWithSecret, refreshToken: v.string(), subject: v.string() }),
    v.null(),
  ),
  handler: async (ctx, { watchId }) => {
    const due = await beginRecheck(ctx, watchId, Date.now());
    return due === null ? null : { ...due, provider: withSecret(due.provider) };
  },
});

/** Applies a provider's answer about a session. Null: it does not vouch for the person anymore, so the session ends. */
export const finishCheck = internalMutation({
  args: { watchId: v.id("ssoSessions"), answer: v.union(answer, v.null()) },
  returns: v.null(),
  handler: async (ctx, { watchId, answer: given }) => {
    await finishRecheck(ctx, watchId, given, Date.now());
    return null;
  },
});

const asked = { providerId: v.union(v.id("ssoProviders"), v.null()) };

/** Refuses (not_found) a provider that the member's organization does not have. */
export const checkProvider = internalMemberMutation("sign-in.change")({
  args: asked,
  returns: v.null(),
  handler: async (ctx, { providerId }) => {
    if (providerId !== null) await ownProvider(ctx, ctx.organizationId, providerId);
    return null;
  },
});

/** Adds or changes a provider. The secret is sealed. Refuses: invalid, not_found, conflict. */
export const storeProvider = internalMemberMutation("sign-in.change")({
  args: { ...asked, settings: providerSettings, clientSecret: v.union(v.string(), v.null()) },
  returns: v.id("ssoProviders"),
  handler: async (ctx, provider) => await saveProvider(ctx, ctx.organizationId, provider, ctx.by),
});
