import type { Infer } from "convex/values";
import { changesText } from "../../../app/audit/changes.ts";
import { isLoopback } from "../../../app/join-command.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { checkedEmail } from "../people/members.ts";
import { boundedInteger, boundedText, refuse } from "../refuse.ts";
import type { mailSettings } from "../validators/people.ts";

const maxChars = 250;
/** Bound to the sealed password. */
export const passwordPurpose = "mail password";

export type MailSettings = Infer<typeof mailSettings>;

/** The server through which the organization sends mails, or null. */
export async function mailServerOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"mailServers"> | null> {
  return await ctx.db
    .query("mailServers")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .unique();
}

/** Settings in their stored form. Refuses: invalid. */
export function checkedMailSettings({ host: given, port, security, user, from }: MailSettings): MailSettings {
  const host = boundedText(given, "The server", maxChars).toLowerCase();
  if (!/^[a-z0-9.:-]+$/.test(host)) refuse("invalid", "The server is a name, such as smtp.example.org.");
  if (security === "none" && !isLoopback(`http://${host}`)) {
    refuse(
      "invalid",
      "Without TLS, mails and the password could be read on their way. Choose STARTTLS or TLS.",
    );
  }
  return {
    host,
    port: boundedInteger(port, "The port", 1, 65_535),
    security,
    user: user.trim() === "" ? "" : boundedText(user, "The user", maxChars),
    from: checkedEmail(from),
  };
}

/** Stores the settings. Null keeps the earlier password, unless the server is another: it must not go to somebody else. Refuses: invalid. */
export async function saveMailServer(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  settings: MailSettings,
  password: string | null,
  by: Act,
): Promise<void> {
  const before = await mailServerOf(ctx, organizationId);
  const isSame = before?.host === settings.host && before.port === settings.port;
  if (settings.user !== "" && password === null && (before?.password === undefined || !isSame)) {
    refuse("invalid", "Enter the password of this server.");
  }
  const kept = password ?? before?.password;
  const secret = settings.user === "" || kept === undefined ? {} : { password: kept };
  if (before !== null) await ctx.db.delete("mailServers", before._id);
  await ctx.db.insert("mailServers", { organizationId, ...settings, ...secret });
  const detail = changesText(
    [
      ["server", before?.host, settings.host],
      ["port", before?.port, settings.port],
      ["security", before?.security, settings.security],
      ["user", before?.user, settings.user],
      ["from", before?.from, settings.from],
    ],
    password === null || before === null ? [] : ["another password"],
  );
  await record(ctx, { organizationId, ...by, action: "mail.changed", subject: organizationId, detail });
}

/** Removes the settings. Does nothing without any. */
export async function removeMailServer(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  by: Act,
): Promise<void> {
  const before = await mailServerOf(ctx, organizationId);
  if (before === null) return;
  await ctx.db.delete("mailServers", before._id);
  await record(ctx, { organizationId, ...by, action: "mail.removed", subject: organizationId });
}
