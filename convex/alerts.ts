import { v } from "convex/values";
import { alertMail } from "../app/mail/mails.ts";
import { internal } from "./_generated/api.js";
import { internalAction, internalMutation, internalQuery } from "./_generated/server.js";
import { startAlerts } from "./model/alerts/deliver.ts";
import { endMailsAddress } from "./model/alerts/endPage.ts";
import {
  addAlertMail,
  alertMailOfToken,
  dueMail,
  noteMail,
  removeAlertMail,
  tryMail,
} from "./model/alerts/mails.ts";
import { consoleLink } from "./model/alerts/messages.ts";
import { hashSecret } from "./model/authenticate.ts";
import { internalMemberMutation, ownMember } from "./model/memberCalls.ts";
import { unseal } from "./model/signIn/sealed.ts";
import { alertNews, attentionItem } from "./model/validators/alerts.ts";
import { language } from "./model/validators/people.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** Tells an organization's webhooks and chosen members what began and what ended. */
export const tell = internalMutation({
  args: {
    organizationId: v.id("organizations"),
    began: v.array(attentionItem),
    ended: v.array(attentionItem),
    at: v.number(),
  },
  returns: v.null(),
  handler: async (ctx, { organizationId, ...news }) => {
    await startAlerts(ctx, organizationId, news);
    return null;
  },
});

/** The end of `console/alerts.addMail`. The token is sealed. Refuses: not_found, conflict. */
export const storeMail = internalMemberMutation("alerts.change")({
  args: { memberId: v.id("members"), token: v.string(), tokenHash: v.string() },
  returns: v.null(),
  handler: async (ctx, { memberId, ...secret }) => {
    await addAlertMail(ctx, await ownMember(ctx, memberId), secret, ctx.by);
    return null;
  },
});

const ofMail = { mailId: v.id("alertMails"), dueAt: v.number() };

export const startMail = internalMutation({
  args: ofMail,
  returns: v.null(),
  handler: async (ctx, { mailId, dueAt }) => {
    await tryMail(ctx, mailId, dueAt);
    return null;
  },
});

export const due = internalQuery({
  args: ofMail,
  returns: v.union(
    v.object({
      organizationId: v.id("organizations"),
      head: v.object({ language, organization: v.string() }),
      to: v.string(),
      token: v.string(),
      news: v.array(alertNews),
      more: v.number(),
    }),
    v.null(),
  ),
  handler: async (ctx, { mailId, dueAt }) => await dueMail(ctx, mailId, dueAt),
});

/** Mails the news that wait for a member. */
export const mail = internalAction({
  args: ofMail,
  returns: v.null(),
  handler: async (ctx, asked): Promise<null> => {
    const found = await ctx.runQuery(internal.alerts.due, asked);
    if (found === null) return null;
    const { organizationId, head, to, token, news, more } = found;
    const links = { alerts: consoleLink("alerts") };
    let problem: string | null;
    try {
      const end = endMailsAddress(unseal(token, "alert mail"));
      const words = alertMail(head, { news, more, end, ...links });
      ({ problem } = await ctx.runAction(internal.access.mail.send, { organizationId, to, ...words }));
    } catch (error) {
      // For example the key of the secrets was replaced, so the link in the mail cannot be read anymore.
      problem = error instanceof Error ? error.message : String(error);
    }
    await ctx.runMutation(internal.alerts.mailed, { ...asked, told: news.length, more, problem });
    return null;
  },
});

export const mailed = internalMutation({
  args: { ...ofMail, told: v.number(), more: v.number(), problem: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { problem, ...tried }) => {
    await noteMail(ctx, tried, problem, Date.now());
    return null;
  },
});

/** Ends the mails to the recipient who has this token. Does nothing for any other token. */
export const endMails = internalMutation({
  args: { token: v.string() },
  returns: v.null(),
  handler: async (ctx, { token }) => {
    const found = await alertMailOfToken(ctx, await hashSecret(token));
    if (found !== null) await removeAlertMail(ctx, found, { actor: "visitor", at: Date.now() });
    return null;
  },
});
