import { v } from "convex/values";
import { internal } from "../_generated/api.js";
import type { Doc, Id } from "../_generated/dataModel.js";
import type { QueryCtx } from "../_generated/server.js";
import { alertMailView, alertMailViews, mailTest, removeAlertMail } from "../model/alerts/mails.ts";
import { hashSecret } from "../model/authenticate.ts";
import { mailServerOf } from "../model/mail/server.ts";
import { memberAction, type MemberCtx, memberMutation, memberQuery } from "../model/memberCalls.ts";
import { owned } from "../model/refuse.ts";
import { randomSecret } from "../model/signIn/randomSecret.ts";
import { seal } from "../model/signIn/sealed.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** The members who get alerts by mail. `ready`: whether there is a mail server. */
export const mails = memberQuery("alerts.read")({
  args: {},
  returns: v.object({ ready: v.boolean(), recipients: v.array(alertMailView) }),
  handler: async (ctx) => ({
    ready: (await mailServerOf(ctx, ctx.organizationId)) !== null,
    recipients: await alertMailViews(ctx, ctx.organizationId),
  }),
});

/** Mails alerts to a member. Refuses: not_found, conflict. */
export const addMail = memberAction("alerts.change")({
  args: { memberId: v.id("members") },
  returns: v.null(),
  handler: async (ctx, { session, memberId }): Promise<null> => {
    const token = `ga_${randomSecret()}`;
    const secret = { token: seal(token, "alert mail"), tokenHash: await hashSecret(token) };
    return await ctx.runMutation(internal.alerts.storeMail, { session, memberId, ...secret });
  },
});

const ofMail = { mailId: v.id("alertMails") };

/** Ends the mails to a member. Refuses: not_found. */
export const removeMail = memberMutation("alerts.change")({
  args: ofMail,
  returns: v.null(),
  handler: async (ctx, { mailId }) => {
    await removeAlertMail(ctx, await ownMail(ctx, mailId), ctx.by);
    return null;
  },
});

/** Mails a test at once. Refuses: not_found. */
export const testMail = memberMutation("alerts.change")({
  args: ofMail,
  returns: v.null(),
  handler: async (ctx, { mailId }) => {
    await mailTest(ctx, await ownMail(ctx, mailId), ctx.at);
    return null;
  },
});

async function ownMail(ctx: QueryCtx & MemberCtx, mailId: Id<"alertMails">): Promise<Doc<"alertMails">> {
  return owned(await ctx.db.get("alertMails", mailId), ctx.organizationId, "recipient");
}
