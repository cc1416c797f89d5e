import { v } from "convex/values";
import { changesText } from "../../../app/audit/changes.ts";
import { limits } from "../../../app/jobs/limits.ts";
import { mutation, query } from "../../_generated/server.js";
import { mailServerOf } from "../../model/mail/server.ts";
import { memberMutation, memberQuery } from "../../model/memberCalls.ts";
import { onlyOrganization } from "../../model/organizations/only.ts";
import { ownPasskey, passkeyRow, passkeysOf, passkeyView } from "../../model/passkeys/stored.ts";
import { endSessionsOf } from "../../model/people/sessions.ts";
import { boundedText } from "../../model/refuse.ts";
import { secondFactorOf, secondFactorView, viewOf } from "../../model/secondFactor/stored.ts";
import { redirectUri } from "../../model/signIn/addresses.ts";
import { begun } from "../../model/signIn/begin.ts";
import { finishAttempt } from "../../model/signIn/finish.ts";
import { passwordOf } from "../../model/signIn/passwords.ts";
import { checkProof, proofsOf } from "../../model/signIn/proof.ts";
import { providerRow, providersOf, providerView, removeProvider } from "../../model/signIn/providers.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const button = v.object({ providerId: v.id("ssoProviders"), name: v.string() });

/**
 * The ways to sign in to an organization, for its sign-in page. Without an id: the deployment's only organization. Null: there is
 * no such organization, or several, which are not listed for strangers.
 */
export const options = query({
  args: { organizationId: v.optional(v.string()) },
  returns: v.union(
    v.object({
      organizationId: v.id("organizations"),
      name: v.string(),
      providers: v.array(button),
      /** Whether a link to reset a password can be mailed. */
      mailsLinks: v.boolean(),
    }),
    v.null(),
  ),
  handler: async (ctx, { organizationId: named }) => {
    const id = named === undefined ? null : ctx.db.normalizeId("organizations", named);
    const found =
      named === undefined ? await onlyOrganization(ctx) : id && (await ctx.db.get("organizations", id));
    if (found === null) return null;
    const providers = (await providersOf(ctx, found._id)).filter(({ enabled }) => enabled);
    return {
      organizationId: found._id,
      name: found.name,
      mailsLinks: (await mailServerOf(ctx, found._id)) !== null,
      providers: providers.map(({ _id: providerId, name }) => ({ providerId, name })),
    };
  },
});

/**
 * Ends a single sign-on in the browser that began it: `code` comes from the address to which the provider sent the browser.
 * Refuses: unauthorized, invalid.
 */
export const finish = mutation({
  args: { code: v.string(), session: v.string(), agent: v.optional(v.string()) },
  returns: begun,
  handler: async (ctx, { agent, ...asked }) => {
    const client = agent === undefined ? {} : { agent };
    return await finishAttempt(ctx, { ...asked, client }, Date.now());
  },
});

/** The ways in which the member can sign in. */
export const own = memberQuery("account", { beforeSecondFactor: true })({
  args: {},
  returns: v.object({
    /** The time at which the password was set. Null: the member has no password. */
    passwordAt: v.union(v.number(), v.null()),
    singleSignOn: v.boolean(),
    providers: v.array(button),
    secondFactor: v.union(secondFactorView, v.null()),
    passkeys: v.array(passkeyRow),
  }),
  handler: async (ctx) => {
    const secondFactor = await secondFactorOf(ctx, ctx.member._id);
    const password = await passwordOf(ctx, ctx.member._id);
    const { singleSignOn } = await proofsOf(ctx, ctx.member._id);
    const providers = (await providersOf(ctx, ctx.organizationId)).filter(({ enabled }) => enabled);
    return {
      passwordAt: password?.changedAt ?? null,
      singleSignOn,
      providers: providers.map(({ _id: providerId, name }) => ({ providerId, name })),
      secondFactor: secondFactor === null ? null : viewOf(secondFactor),
      passkeys: (await passkeysOf(ctx, ctx.member._id)).map(passkeyView),
    };
  },
});

/** Removes the own password. Does nothing without one. Refuses: proof_needed. */
export const removePassword = memberMutation("account")({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    await checkProof(ctx, ctx, ctx.at);
    const password = await passwordOf(ctx, ctx.member._id);
    if (password === null) return null;
    await ctx.db.delete("passwords", password._id);
    await ctx.audit("member.password-removed", ctx.member._id);
    return null;
  },
});

const ofPasskey = { passkeyId: v.id("passkeys") };

/** Gives one of the own passkeys another name. Refuses: not_found, invalid. */
export const renamePasskey = memberMutation("account")({
  args: { ...ofPasskey, name: v.string() },
  returns: v.null(),
  handler: async (ctx, { passkeyId, name: given }) => {
    const { _id, memberId, name: before } = await ownPasskey(ctx, ctx.member._id, passkeyId);
    const name = boundedText(given, "The name", limits.nameChars);
    if (name === before) return null;
    await ctx.db.patch("passkeys", _id, { name });
    await ctx.audit("member.passkey-renamed", memberId, changesText([["name", before, name]]));
    return null;
  },
});

/** Removes one of the own passkeys. Without any second factor left, the other sessions end. Refuses: not_found, proof_needed. */
export const removePasskey = memberMutation("account")({
  args: ofPasskey,
  returns: v.null(),
  handler: async (ctx, { passkeyId }) => {
    const { _id, name, memberId } = await ownPasskey(ctx, ctx.member._id, passkeyId);
    await checkProof(ctx, ctx, ctx.at);
    await ctx.db.delete("passkeys", _id);
    await ctx.audit("member.passkey-removed", memberId, name);
    const left = await proofsOf(ctx, memberId);
    if (left.passkey || left.secondFactor) return null;
    await ctx.db.patch("sessions", ctx.session._id, { secondFactorAt: undefined });
    await endSessionsOf(ctx, memberId, ctx.session._id);
    return null;
  },
});

/** The organization's providers, oldest first, and the address that each of them must allow. */
export const providers = memberQuery("sign-in.read")({
  args: {},
  returns: v.object({ providers: v.array(providerRow), redirectUri: v.string() }),
  handler: async (ctx) => ({
    providers: (await providersOf(ctx, ctx.organizationId)).map(providerView),
    redirectUri: redirectUri(),
  }),
});

/** Removes a provider. Its members stay. Refuses: not_found, proof_needed. */
export const remove = memberMutation("sign-in.change")({
  args: { providerId: v.id("ssoProviders") },
  returns: v.null(),
  handler: async (ctx, { providerId }) => {
    await removeProvider(ctx, ctx.organizationId, providerId, ctx.by);
    return null;
  },
});
