"use node";

import { v } from "convex/values";
import { createTransport } from "nodemailer";
import { type Mail, resetMail } from "../../app/mail/mails.ts";
import { internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { type ActionCtx, internalAction } from "../_generated/server.js";
import { hashSecret } from "../model/authenticate.ts";
import { problemWords } from "../model/mail/problem.ts";
import { passwordPurpose } from "../model/mail/server.ts";
import { randomSecret } from "../model/signIn/randomSecret.ts";
import { unseal } from "../model/signIn/sealed.ts";

/*
 * Actions that talk SMTP. They run in Node.
 */

const waitMs = 10_000;

/**
 * Sends a mail of an organization, in plain text. Never throws. @returns why it was not sent, in the server's words; null: the
 * server has taken it.
 */
export const send = internalAction({
  args: {
    organizationId: v.id("organizations"),
    to: v.string(),
    sender: v.string(),
    subject: v.string(),
    text: v.string(),
  },
  returns: v.object({ problem: v.union(v.string(), v.null()) }),
  handler: async (ctx, mail) => ({ problem: await deliver(ctx, mail) }),
});

type OrganizationMail = Mail & { readonly organizationId: Id<"organizations">; readonly to: string };

async function deliver(
  ctx: ActionCtx,
  { organizationId, sender, ...mail }: OrganizationMail,
): Promise<string | null> {
  const server = await ctx.runQuery(internal.access.mailing.server, { organizationId });
  if (server === null) return "Your organization has no mail server.";
  const { host, port, security, user, from, password } = server;
  try {
    const auth = password === null ? {} : { auth: { user, pass: unseal(password, passwordPurpose) } };
    const transport = createTransport({
      host,
      port,
      secure: security === "tls",
      requireTLS: security === "starttls",
      ignoreTLS: security === "none",
      ...auth,
      connectionTimeout: waitMs,
      greetingTimeout: waitMs,
      socketTimeout: 2 * waitMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    await transport.sendMail({ ...mail, from: { name: sender, address: from } });
    return null;
  } catch (error) {
    return problemWords(error);
  }
}

/** Mails a member a link to sign in with. The link's secret is made here, so that it is stored nowhere. */
export const sendResetLink = internalAction({
  args: { memberId: v.id("members"), page: v.string() },
  returns: v.null(),
  handler: async (ctx, { memberId, page }): Promise<null> => {
    const token = `gs_${randomSecret()}`;
    const tokenHash = await hashSecret(token);
    const found = await ctx.runMutation(internal.access.mailing.storeResetLink, { memberId, tokenHash });
    if (found === null) return null;
    const { organizationId, to, head } = found;
    const mail = resetMail(head, `${page}#signin=${token}`);
    const problem = await deliver(ctx, { organizationId, to, ...mail });
    if (problem !== null) console.error(`A link to reset a password was not mailed: ${problem}`);
    return null;
  },
});
