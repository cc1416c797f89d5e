import { v } from "convex/values";
import { invitationMail, testMail } from "../../../app/mail/mails.ts";
import { internal } from "../../_generated/api.js";
import { mutation } from "../../_generated/server.js";
import {
  checkedMailSettings,
  mailServerOf,
  passwordPurpose,
  removeMailServer,
} from "../../model/mail/server.ts";
import { memberAction, memberMutation, memberQuery } from "../../model/memberCalls.ts";
import { memberByEmail } from "../../model/people/members.ts";
import { countPasswordReset } from "../../model/rates.ts";
import { boundedText } from "../../model/refuse.ts";
import { consolePage } from "../../model/signIn/addresses.ts";
import { seal } from "../../model/signIn/sealed.ts";
import { mailSettings } from "../../model/validators/people.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const maxPasswordChars = 500;
/** Null: the server has taken the mail. */
const sent = v.object({ problem: v.union(v.string(), v.null()) });

/** The organization's mail server, but for its password; or null. */
export const settings = memberQuery("sign-in.read")({
  args: {},
  returns: v.union(mailSettings, v.null()),
  handler: async (ctx) => {
    const found = await mailServerOf(ctx, ctx.organizationId);
    if (found === null) return null;
    const { host, port, security, user, from } = found;
    return { host, port, security, user, from };
  },
});

/** Whether invitations can be mailed. */
export const isReady = memberQuery("people.read")({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => (await mailServerOf(ctx, ctx.organizationId)) !== null,
});

/** Changes the mail server. Without a password, the earlier one stays. Refuses: invalid, proof_needed. */
export const save = memberAction("sign-in.change")({
  args: { settings: mailSettings, password: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { session, settings: given, password: secret }): Promise<null> => {
    const password =
      secret === undefined
        ? null
        : seal(boundedText(secret, "The password", maxPasswordChars), passwordPurpose);
    const stored = { session, settings: checkedMailSettings(given), password };
    return await ctx.runMutation(internal.access.mailing.store, stored);
  },
});

/** Removes the mail server. Does nothing without one. */
export const remove = memberMutation("sign-in.change")({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    await removeMailServer(ctx, ctx.organizationId, ctx.by);
    return null;
  },
});

/** Sends a test mail to the member. @returns why it was not sent, in the server's words. Refuses: conflict. */
export const test = memberAction("sign-in.change")({
  args: {},
  returns: v.object({ ...sent.fields, to: v.string() }),
  handler: async (ctx, { session }): Promise<{ problem: string | null; to: string }> => {
    const { head, ...target } = await ctx.runMutation(internal.access.mailing.ownAddress, { session });
    const mail = { ...target, ...testMail(head) };
    const { problem } = await ctx.runAction(internal.access.mail.send, mail);
    return { problem, to: target.to };
  },
});

/** Mails an invitation to its address. The browser made its token. `page`: the console's address. Refuses: not_found, conflict, invalid. */
export const sendInvitation = memberAction("people.change")({
  args: { invitationId: v.id("invitations"), token: v.string(), page: v.string() },
  returns: sent,
  handler: async (ctx, { session, invitationId, token, page }): Promise<{ problem: string | null }> => {
    const asked = { session, invitationId, token };
    const { organizationId, head, to, ...words } = await ctx.runMutation(
      internal.access.mailing.invitation,
      asked,
    );
    const link = `${consolePage(page)}#invite=${token}`;
    const mail = invitationMail(head, { ...words, link });
    return await ctx.runAction(internal.access.mail.send, { organizationId, to, ...mail });
  },
});

/**
 * Mails a link for somebody who forgot the password, if a member has this address. Nobody is told whether one has.
 * `page`: the console's address. Refuses: rate_limited, invalid.
 */
export const forgotPassword = mutation({
  args: { organizationId: v.id("organizations"), email: v.string(), page: v.string() },
  returns: v.null(),
  handler: async (ctx, { organizationId, email: given, page: asked }) => {
    const page = consolePage(asked);
    const email = given.trim().toLowerCase().slice(0, 254);
    await countPasswordReset(ctx, `${organizationId}/${email}`);
    const member = await memberByEmail(ctx, organizationId, email);
    const hasServer = (await mailServerOf(ctx, organizationId)) !== null;
    if (member === null || !hasServer) return null;
    await ctx.scheduler.runAfter(0, internal.access.mail.sendResetLink, { memberId: member._id, page });
    return null;
  },
});
