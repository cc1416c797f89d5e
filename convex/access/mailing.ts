import { v } from "convex/values";
import { visibleText } from "../../app/format/visible.ts";
import { internalMutation, internalQuery } from "../_generated/server.js";
import { record } from "../model/audit.ts";
import { hashSecret } from "../model/authenticate.ts";
import { letterheadFor } from "../model/mail/letterhead.ts";
import { mailServerOf, saveMailServer } from "../model/mail/server.ts";
import { internalMemberMutation } from "../model/memberCalls.ts";
import { createLink } from "../model/people/signIn.ts";
import { owned, refuse } from "../model/refuse.ts";
import { proofsOf } from "../model/signIn/proof.ts";
import { language, mailSettings, role } from "../model/validators/people.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/*
 * The transactions of actions that send mails.
 */

const resetMs = 3_600_000;

/** The mail server of an organization, with its sealed password; or null. */
export const server = internalQuery({
  args: { organizationId: v.id("organizations") },
  returns: v.union(v.object({ ...mailSettings.fields, password: v.union(v.string(), v.null()) }), v.null()),
  handler: async (ctx, { organizationId }) => {
    const found = await mailServerOf(ctx, organizationId);
    if (found === null) return null;
    const { host, port, security, user, from, password = null } = found;
    return { host, port, security, user, from, password };
  },
});

/** Stores settings whose password is sealed. Refuses: invalid. */
export const store = internalMemberMutation("sign-in.change")({
  args: { settings: mailSettings, password: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { settings, password }) => {
    await saveMailServer(ctx, ctx.organizationId, settings, password, ctx.by);
    return null;
  },
});

/** A mail to somebody, and the language in which it is written. */
const letter = v.object({
  organizationId: v.id("organizations"),
  to: v.string(),
  head: v.object({ language, organization: v.string() }),
});

/** The address to which a member's test mail goes. Refuses: conflict. */
export const ownAddress = internalMemberMutation("sign-in.change")({
  args: {},
  returns: letter,
  handler: async (ctx) => {
    const to = ctx.member.email ?? refuse("conflict", "Add your e-mail address on the page Account first.");
    return { organizationId: ctx.organizationId, to, head: await letterheadFor(ctx, ctx.member) };
  },
});

/** An invitation that can be mailed: its address is known, and the caller knows its secret. Refuses: not_found, conflict. */
export const invitation = internalMemberMutation("people.change")({
  args: { invitationId: v.id("invitations"), token: v.string() },
  returns: v.object({
    ...letter.fields,
    name: v.string(),
    invitedBy: v.string(),
    roles: v.array(role),
  }),
  handler: async (ctx, { invitationId, token }) => {
    const { organizationId } = ctx;
    const found = owned(await ctx.db.get("invitations", invitationId), organizationId, "invitation");
    if (found.tokenHash !== (await hashSecret(token))) refuse("not_found", "There is no such invitation.");
    const to = found.email ?? refuse("conflict", "This invitation has no e-mail address.");
    // Nobody knows the language of somebody new. It is most likely that of the colleague who invites them.
    const head = await letterheadFor(ctx, ctx.member);
    const [name, invitedBy] = [visibleText(found.name), visibleText(ctx.member.name)];
    return { organizationId, to, head, name, invitedBy, roles: found.roles };
  },
});

/** Stores the link that resets a member's password. @returns its address; null: the member is gone, or has no password
 * because they sign in by a provider. */
export const storeResetLink = internalMutation({
  args: { memberId: v.id("members"), tokenHash: v.string() },
  returns: v.union(letter, v.null()),
  handler: async (ctx, { memberId, tokenHash }) => {
    const member = await ctx.db.get("members", memberId);
    if (member?.email === undefined || member.removedAt !== undefined) return null;
    // Only the provider lets them in, and it may have revoked them.
    const { singleSignOn, password } = await proofsOf(ctx, memberId);
    if (singleSignOn && !password) return null;
    const { organizationId, email: to } = member;
    const at = Date.now();
    await createLink(ctx, member, tokenHash, { actor: "system", at }, resetMs);
    const what = { action: "member.password-reset-asked", subject: memberId } as const;
    await record(ctx, { organizationId, at, actor: "system", ...what });
    return { organizationId, to, head: await letterheadFor(ctx, member) };
  },
});
