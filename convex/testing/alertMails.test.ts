import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api, internal } from "../_generated/api.js";
import type { Doc, Id } from "../_generated/dataModel.js";
import {
  addOrganization,
  type Backend,
  expectRefusal,
  type Organization,
  signIn,
  startBackend,
} from "./backend.fixture.ts";
import { type Mailbox, startMailbox } from "./mailbox.fixture.ts";
import { joinAs } from "./people.fixture.ts";

const email = "ann@example.org";
const minuteMs = 60_000;

let t: Backend;
let acme: Organization;
let owner: string;
let mailbox: Mailbox;

beforeEach(async () => {
  // SMTP needs real timers, so tests run what is due themselves.
  vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ["Date"] });
  vi.stubEnv("CONVEX_SITE_URL", "https://gleaner.example.org");
  t = startBackend();
  acme = await addOrganization(t);
  owner = await signIn(t, acme);
  await t.mutation(api.console.account.change, { session: owner, name: "Ann", email });
  mailbox = await startMailbox();
});

afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await mailbox.close();
});

async function setServer(port = mailbox.port): Promise<void> {
  const settings = { host: "127.0.0.1", port, security: "none" as const, user: "", from: "g@example.org" };
  await t.action(api.console.access.mail.save, { session: owner, settings });
}

async function subscribe(): Promise<void> {
  await setServer();
  const { member } = (await t.query(api.console.account.me, { session: owner }))!;
  await t.action(api.console.alerts.addMail, { session: owner, memberId: member.memberId });
}

const shown = async (session = owner) => await t.query(api.console.alerts.mails, { session });

async function row(): Promise<Doc<"alertMails">> {
  return (await t.run(async (ctx) => await ctx.db.query("alertMails").collect()))[0]!;
}

type News = {
  readonly kind: "failing" | "unserved-model";
  readonly subject?: string;
  readonly count?: number;
};

async function tell(began: readonly News[], ended: readonly News[] = []): Promise<void> {
  const at = Date.now();
  const item = ({ kind, subject = "", count = 1 }: News) => ({ kind, subject, count, since: at, told: true });
  const news = { began: began.map(item), ended: ended.map(item) };
  await t.mutation(internal.alerts.tell, { organizationId: acme.organizationId, ...news, at });
}

/** Lets the next mail become due, and tries to send it. @returns how long it waited; ms. */
async function sendDue(): Promise<number> {
  const { _id: mailId, dueAt = 0 } = await row();
  const waited = dueAt - Date.now();
  vi.setSystemTime(Math.max(dueAt, Date.now()));
  await t.action(internal.alerts.mail, { mailId, dueAt });
  return waited;
}

const linkIn = (text = ""): string => /https:\S+\/alerts\/end\?token=\S+/.exec(text)?.[0] ?? "";

describe("alerts by mail", () => {
  it("say what, since when, and what to do with a link", async () => {
    await subscribe();
    await tell([{ kind: "failing", count: 2 }]);
    await sendDue();
    const [{ to, text } = { to: [], text: "" }] = mailbox.mails;
    expect(to).toEqual([email]);
    expect(text).toContain("2 devices were paused because too many of their jobs failed.");
    expect(text).toContain("Since 2027-01-15 08:00 UTC.");
    expect(text).toContain(
      "Look at the last jobs, then resume: https://gleaner.example.org/console/#/devices?state=attention&concern=failing",
    );
    expect((await shown()).recipients).toMatchObject([{ email, name: "Ann", last: { error: null } }]);
  });

  it("are in the recipient's language, and so are the pages that end them", async () => {
    await subscribe();
    await t.mutation(api.console.account.use, { session: owner, language: "de" });
    await tell([{ kind: "failing", count: 2 }]);
    await sendDue();
    const [{ text } = { text: "" }] = mailbox.mails;
    expect(text).toContain("Seit 2027-01-15 08:00 UTC.");
    expect(text).toContain("Sie bekommen Warnungen von Acme");
    expect(text).not.toMatch(/devices were|jobs failed|Since|alerts of/);
    const { pathname, search } = new URL(linkIn(text));
    const headers = { "accept-language": "fr-FR,de;q=0.8,en;q=0.5" };
    expect(await (await t.fetch(pathname + search, { headers })).text()).toContain('<html lang="de">');
    const ended = await t.fetch(pathname + search, { method: "POST", headers });
    expect(await ended.text()).toContain("Sie bekommen keine Warnungen mehr per E-Mail");
  });

  it("are one digest of what comes together, and at most one mail in a quarter of an hour", async () => {
    await subscribe();
    for (let n = 0; n < 50; n++) await tell([{ kind: "unserved-model", subject: `m${String(n)}` }]);
    expect(await sendDue()).toBe(minuteMs);
    expect(mailbox.mails).toHaveLength(1);
    expect(mailbox.mails[0]!.text).toContain("No device can run m29");
    expect(mailbox.mails[0]!.text).not.toContain("No device can run m30");
    expect(mailbox.mails[0]!.text).toContain("20 more things happened since.");
    await tell([], [{ kind: "unserved-model", subject: "m0" }]);
    expect(await sendDue()).toBe(15 * minuteMs);
    expect(mailbox.mails).toHaveLength(2);
    expect(mailbox.mails[1]!.text).toContain("A device can run m0 again.");
    expect(mailbox.mails[1]!.text).not.toContain("m1");
    expect((await row()).dueAt).toBeUndefined();
  });

  it("are tried again after a failure, which the page shows, and are given up at last", async () => {
    await subscribe();
    const { port } = mailbox;
    await setServer(1);
    await tell([{ kind: "failing" }]);
    await sendDue();
    expect((await shown()).recipients[0]!.last!.error).toMatch(/ECONNREFUSED/);
    await setServer(port);
    expect(await sendDue()).toBe(10_000);
    expect(mailbox.mails).toHaveLength(1);
    await setServer(1);
    await tell([{ kind: "failing" }]);
    for (let tries = 0; tries < 6; tries++) await sendDue();
    expect(await row()).toMatchObject({ waiting: [], tries: 0 });
    expect((await row()).dueAt).toBeUndefined();
  });

  it("are ended by their recipient with the link, which first asks", async () => {
    await subscribe();
    await tell([{ kind: "failing" }]);
    await sendDue();
    const { pathname, search } = new URL(linkIn(mailbox.mails[0]!.text));
    const asked = await t.fetch(pathname + search);
    expect(await asked.text()).toContain("End these mails");
    expect((await shown()).recipients).toHaveLength(1);
    await t.fetch(`${pathname}?token=ga_wrong`, { method: "POST" });
    expect((await shown()).recipients).toHaveLength(1);
    const ended = await t.fetch(pathname + search, { method: "POST" });
    expect(await ended.text()).toContain("You get no more alerts by mail");
    expect((await shown()).recipients).toEqual([]);
    await tell([{ kind: "failing" }]);
    const trail = await t.run(async (ctx) => await ctx.db.query("audit").collect());
    expect(trail.filter(({ action }) => action.startsWith("alert-mail"))).toMatchObject([
      { action: "alert-mail.added", actor: "member" },
      { action: "alert-mail.removed", actor: "visitor" },
    ]);
    expect(JSON.stringify(trail)).not.toContain(search.slice(7));
  });

  it("need a mail server and a member with an address, once", async () => {
    const bo = await joinAs(t, owner, { name: "Bo", roles: ["admin"] });
    const add = async () =>
      await t.action(api.console.alerts.addMail, { session: owner, memberId: bo.memberId });
    await expectRefusal(add(), "conflict");
    await t.mutation(api.console.account.change, { session: bo.session, email: "bo@example.org" });
    await expectRefusal(add(), "conflict");
    expect(await shown()).toEqual({ ready: false, recipients: [] });
    await setServer();
    await add();
    await expectRefusal(add(), "conflict");
    expect(await shown()).toMatchObject({ ready: true, recipients: [{ email: "bo@example.org" }] });
  });

  it("go to nobody who has left", async () => {
    const bo = await joinAs(t, owner, { name: "Bo", roles: ["admin"], email: "bo@example.org" });
    await setServer();
    await t.action(api.console.alerts.addMail, { session: owner, memberId: bo.memberId });
    await tell([{ kind: "failing" }]);
    await t.mutation(api.console.people.remove, { session: owner, memberId: bo.memberId });
    expect((await shown()).recipients).toEqual([]);
    await sendDue();
    expect(mailbox.mails).toEqual([]);
    const { _id: mailId, dueAt = 0 } = await row();
    await t.mutation(internal.alerts.startMail, { mailId, dueAt });
    expect(await t.run(async (ctx) => await ctx.db.query("alertMails").collect())).toEqual([]);
  });

  it("say so if the secret of their link cannot be read anymore, and are tried again", async () => {
    vi.stubEnv("GLEANER_SECRETS_KEY", "A".repeat(43));
    await subscribe();
    vi.stubEnv("GLEANER_SECRETS_KEY", "B".repeat(43));
    await tell([{ kind: "failing" }]);
    await sendDue();
    expect((await shown()).recipients[0]!.last!.error).not.toBeNull();
    expect(await row()).toMatchObject({ tries: 1 });
    vi.stubEnv("GLEANER_SECRETS_KEY", "A".repeat(43));
    await setServer();
    await sendDue();
    expect((await shown()).recipients[0]!.last!.error).toBeNull();
    expect(mailbox.mails).toHaveLength(1);
  });

  it("go to 20 members at most, and those who have left make room", async () => {
    await setServer();
    const add = async ({ memberId }: { memberId: Id<"members"> }) =>
      await t.action(api.console.alerts.addMail, { session: owner, memberId });
    const join = async (name: string) =>
      await joinAs(t, owner, { name, roles: ["admin"], email: `${name}@example.org` });
    const members = [];
    for (let n = 0; n < 20; n += 1) members.push(await join(`m${String(n)}`));
    for (const member of members) await add(member);
    const late = await join("late");
    await expectRefusal(add(late), "conflict");
    for (const { memberId } of members.slice(4, 7))
      await t.mutation(api.console.people.remove, { session: owner, memberId });
    await add(late);
    expect(await t.run(async (ctx) => await ctx.db.query("alertMails").collect())).toHaveLength(18);
    expect((await shown()).recipients).toHaveLength(18);
  });

  it("are tested at once", async () => {
    await subscribe();
    const { mailId } = (await shown()).recipients[0]!;
    await t.mutation(api.console.alerts.testMail, { session: owner, mailId });
    expect(await sendDue()).toBe(0);
    expect(mailbox.mails[0]!.text).toContain("This is a test of Gleaner's alerts. Nothing is wrong.");
    await t.mutation(api.console.alerts.removeMail, { session: owner, mailId });
    expect((await shown()).recipients).toEqual([]);
  });
});
