import { type Infer, v } from "convex/values";
import { visibleText } from "../../../app/format/visible.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { letterheadFor } from "../mail/letterhead.ts";
import { mailServerOf } from "../mail/server.ts";
import { refuse } from "../refuse.ts";
import type { alertNews } from "../validators/alerts.ts";
import { type Message, testMessage } from "./messages.ts";
import { retryMs } from "./retries.ts";

type AlertMail = Doc<"alertMails">;

const maxRecipients = 20;
/** News of one mail. It says how many more there were. */
const maxNews = 30;
/** News that come together are one mail. */
const gatherMs = 60_000;
/** At most one mail in this time, whatever happens. */
const restMs = 15 * 60_000;
/** An action that was cut off is repeated after this time. It lasts less, even if the server is slow. */
const lostAfterMs = 3 * 60_000;

export const alertMailView = v.object({
  mailId: v.id("alertMails"),
  name: v.string(),
  email: v.string(),
  createdAt: v.number(),
  /** The last try; null before the first. */
  last: v.union(v.object({ at: v.number(), error: v.union(v.string(), v.null()) }), v.null()),
});

export async function alertMailsOf(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<AlertMail[]> {
  return await ctx.db
    .query("alertMails")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .take(maxRecipients);
}

/** The recipients as the console shows them. Those who left, or have no address anymore, get nothing and are not shown. */
export async function alertMailViews(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof alertMailView>[]> {
  const rows = await alertMailsOf(ctx, organizationId);
  const views = await Promise.all(
    rows.map(async ({ _id: mailId, memberId, createdAt, last = null }) => {
      const recipient = await recipientOf(ctx, memberId);
      if (recipient === null) return [];
      return [{ mailId, createdAt, last, name: visibleText(recipient.name), email: recipient.email }];
    }),
  );
  return views.flat();
}

type Recipient = Doc<"members"> & { readonly email: string };

async function recipientOf(ctx: QueryCtx, memberId: Id<"members">): Promise<Recipient | null> {
  const member = await ctx.db.get("members", memberId);
  if (member?.email === undefined || member.removedAt !== undefined) return null;
  return { ...member, email: member.email };
}

/** Chooses a member, who has an address. Refuses: conflict. */
export async function addAlertMail(
  ctx: MutationCtx,
  { _id: memberId, organizationId, email, removedAt }: Doc<"members">,
  secret: { readonly token: string; readonly tokenHash: string },
  by: Act,
): Promise<void> {
  if (email === undefined || removedAt !== undefined)
    refuse("conflict", "This member has no e-mail address. Add one on the page People first.");
  if ((await mailServerOf(ctx, organizationId)) === null)
    refuse("conflict", "There is no mail server. An owner sets it on the page Sign-in.");
  const rows = await alertMailsOf(ctx, organizationId);
  if (rows.some((row) => row.memberId === memberId))
    refuse("conflict", "This member gets the mails already.");
  if (rows.length >= maxRecipients && !(await removeUnreachable(ctx, rows, by.at)))
    refuse("conflict", `${String(maxRecipients)} members get the mails already. Remove one first.`);
  const row = { organizationId, memberId, ...secret, createdAt: by.at };
  await ctx.db.insert("alertMails", { ...row, waiting: [], more: 0, tries: 0 });
  await record(ctx, { organizationId, ...by, action: "alert-mail.added", subject: memberId });
}

/** Removes those who left or have no address: they are not shown, so nobody else can. @returns whether there were any. */
async function removeUnreachable(ctx: MutationCtx, rows: readonly AlertMail[], at: number): Promise<boolean> {
  const recipients = await Promise.all(rows.map(({ memberId }) => recipientOf(ctx, memberId)));
  const unreachable = rows.filter((_, place) => recipients[place] === null);
  for (const row of unreachable) await removeAlertMail(ctx, row, { actor: "system", at });
  return unreachable.length > 0;
}

/** Ends the mails to a member. News that wait are dropped. */
export async function removeAlertMail(ctx: MutationCtx, row: AlertMail, by: Act): Promise<void> {
  const { _id, organizationId, memberId: subject } = row;
  await ctx.db.delete("alertMails", _id);
  await record(ctx, { organizationId, ...by, action: "alert-mail.removed", subject });
}

/** The mails that a link ends; null: it ended them already, or was never made. */
export async function alertMailOfToken(ctx: QueryCtx, tokenHash: string): Promise<AlertMail | null> {
  return await ctx.db
    .query("alertMails")
    .withIndex("by_token", (q) => q.eq("tokenHash", tokenHash))
    .unique();
}

/** Keeps messages for the next mails of an organization. Without a mail server nobody waits for them. */
export async function keepForMails(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  messages: readonly Message[],
  now: number,
): Promise<void> {
  const rows = await alertMailsOf(ctx, organizationId);
  if (rows.length === 0 || (await mailServerOf(ctx, organizationId)) === null) return;
  for (const row of rows) {
    const dueAt = row.dueAt ?? Math.max(now + gatherMs, (row.sentAt ?? 0) + restMs);
    await keep(ctx, row, messages, dueAt);
  }
}

/** Mails one recipient a test at once, with the news that wait. */
export async function mailTest(ctx: MutationCtx, row: AlertMail, now: number): Promise<void> {
  await keep(ctx, { ...row, tries: 0 }, [testMessage(now)], now);
}

async function keep(
  ctx: MutationCtx,
  { _id: mailId, waiting: earlier, more: earlierMore, dueAt: known, tries }: AlertMail,
  messages: readonly Omit<Message, "event">[],
  dueAt: number,
): Promise<void> {
  const news = [...earlier, ...messages.map(newsOf)];
  const waiting = news.slice(0, maxNews);
  const more = earlierMore + news.length - waiting.length;
  await ctx.db.patch("alertMails", mailId, { waiting, more, dueAt, tries });
  if (known !== dueAt) await ctx.scheduler.runAt(dueAt, internal.alerts.startMail, { mailId, dueAt });
}

function newsOf({ sentence, act, link, since }: Omit<Message, "event">): Infer<typeof alertNews> {
  return { sentence, act, link, since: Date.parse(since) };
}

/** Starts a try that is due. If its action is cut off, a later call repeats it. */
export async function tryMail(ctx: MutationCtx, mailId: Id<"alertMails">, dueAt: number): Promise<void> {
  const row = await ctx.db.get("alertMails", mailId);
  if (row?.dueAt !== dueAt) return;
  if ((await recipientOf(ctx, row.memberId)) === null) {
    await removeAlertMail(ctx, row, { actor: "system", at: Date.now() });
    return;
  }
  await ctx.scheduler.runAfter(0, internal.alerts.mail, { mailId, dueAt });
  await ctx.scheduler.runAfter(lostAfterMs, internal.alerts.startMail, { mailId, dueAt });
}

/** The recipient and the news of a try that is due, or null. The token is sealed. */
export async function dueMail(ctx: QueryCtx, mailId: Id<"alertMails">, dueAt: number) {
  const row = await ctx.db.get("alertMails", mailId);
  const recipient = row?.dueAt === dueAt ? await recipientOf(ctx, row.memberId) : null;
  if (row === null || recipient === null) return null;
  return {
    organizationId: row.organizationId,
    head: await letterheadFor(ctx, recipient),
    to: recipient.email,
    token: row.token,
    news: row.waiting,
    more: row.more,
  };
}

/** Notes how a try ended, and plans the next mail. @param problem null: the server took the mail. */
export async function noteMail(
  ctx: MutationCtx,
  { mailId, dueAt, told, more }: { mailId: Id<"alertMails">; dueAt: number; told: number; more: number },
  problem: string | null,
  now: number,
): Promise<void> {
  const row = await ctx.db.get("alertMails", mailId);
  if (row?.dueAt !== dueAt) return;
  const last = { at: now, error: problem };
  const pause = retryMs[row.tries];
  if (problem !== null && pause !== undefined) {
    await plan(ctx, mailId, { last, tries: row.tries + 1 }, now + pause);
    return;
  }
  // After the last try the news are dropped: they would be old.
  const left = { waiting: row.waiting.slice(told), more: row.more - more };
  const done = { last, tries: 0, ...left, ...(problem === null ? { sentAt: now } : {}) };
  await plan(ctx, mailId, done, left.waiting.length === 0 ? null : now + restMs);
}

async function plan(
  ctx: MutationCtx,
  mailId: Id<"alertMails">,
  change: Partial<AlertMail>,
  dueAt: number | null,
): Promise<void> {
  await ctx.db.patch("alertMails", mailId, { ...change, dueAt: dueAt ?? undefined });
  if (dueAt !== null) await ctx.scheduler.runAt(dueAt, internal.alerts.startMail, { mailId, dueAt });
}
