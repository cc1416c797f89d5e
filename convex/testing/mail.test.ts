import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api, internal } from "../_generated/api.js";
import {
  addOrganization,
  type Backend,
  expectRefusal,
  type Organization,
  secret,
  signIn,
  startBackend,
} from "./backend.fixture.ts";
import { type Mailbox, mailPassword, mailUser, startMailbox } from "./mailbox.fixture.ts";
import { inviteMember, joinAs } from "./people.fixture.ts";

const page = "https://gleaner.example.org/console/?deployment=https://evil.example#/people";
const email = "ann@example.org";

let t: Backend;
let acme: Organization;
let owner: string;
let mailbox: Mailbox;

beforeEach(async () => {
  // SMTP needs real timers.
  vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ["Date"] });
  vi.stubEnv("CONVEX_SITE_URL", "https://gleaner.example.org");
  vi.stubEnv("GLEANER_SECRETS_KEY", "A".repeat(43));
  t = startBackend();
  acme = await addOrganization(t);
  owner = await signIn(t, acme);
  await t.mutation(api.console.account.change, { session: owner, name: "Ann", email });
  mailbox = await startMailbox();
});

afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await mailbox.close();
});

const usual = { host: "127.0.0.1", security: "none" as const, user: "", from: "gleaner@example.org" };

type Over = {
  readonly host?: string;
  readonly security?: "none" | "starttls" | "tls";
  readonly user?: string;
  readonly from?: string;
};

async function save(over: Over = {}, password?: string, session = owner): Promise<null> {
  const settings = { ...usual, port: mailbox.port, ...over };
  const secretOf = password === undefined ? {} : { password };
  return await t.action(api.console.access.mail.save, { session, settings, ...secretOf });
}

const sendTest = async () => await t.action(api.console.access.mail.test, { session: owner });

async function everything(): Promise<string> {
  const tables = ["audit", "mailServers", "signInLinks", "invitations"] as const;
  const rows = await t.run(
    async (ctx) => await Promise.all(tables.map(async (table) => await ctx.db.query(table).collect())),
  );
  return JSON.stringify(rows);
}

describe("the mail server", () => {
  it("takes a test mail in plain text", async () => {
    expect(await sendTest()).toMatchObject({ problem: "Your organization has no mail server." });
    await save();
    expect(await sendTest()).toEqual({ problem: null, to: email });
    expect(mailbox.mails).toMatchObject([{ to: [email], from: "gleaner@example.org" }]);
    const [{ text } = { text: "" }] = mailbox.mails;
    expect(text).toContain("From: Gleaner of Acme <gleaner@example.org>");
    expect(text).toContain("Content-Type: text/plain");
    expect(text).toContain("This is the test mail that you asked for.");
    expect(await everything()).toContain("mail.changed");
  });

  it("is asked with the password, which is sealed and shown to nobody", async () => {
    await mailbox.close();
    mailbox = await startMailbox({ auth: true });
    await expectRefusal(save({ user: mailUser }), "invalid");
    await save({ user: mailUser }, "wrong");
    expect((await sendTest()).problem).toContain("Wrong user or password");
    await save({ user: mailUser }, mailPassword);
    expect(await sendTest()).toMatchObject({ problem: null });
    expect(JSON.stringify(await t.query(api.console.access.mail.settings, { session: owner }))).not.toContain(
      "sealed",
    );
    expect(await everything()).not.toContain(mailPassword);
    await save({ user: mailUser, from: "other@example.org" });
    expect(await sendTest()).toMatchObject({ problem: null });
    await expectRefusal(save({ user: mailUser, host: "localhost" }), "invalid");
  });

  it("is not believed without a certificate that counts, and the reason is in the server's words", async () => {
    await save({ security: "starttls" });
    expect((await sendTest()).problem).toMatch(/certificate/);
    await save({ security: "tls" });
    expect((await sendTest()).problem).not.toBeNull();
    await mailbox.close();
    expect((await sendTest()).problem).toMatch(/ECONNREFUSED/);
    expect(mailbox.mails).toEqual([]);
  });

  it("is refused without TLS elsewhere, with a wrong name or port, and from others than owners", async () => {
    await expectRefusal(save({ host: "smtp.example.org" }), "invalid");
    await expectRefusal(save({ host: "smtp.example.org/x", security: "tls" }), "invalid");
    await expectRefusal(save({ from: "nobody" }), "invalid");
    const { session } = await joinAs(t, owner, { name: "Bo", roles: ["admin"] });
    await expectRefusal(save({}, undefined, session), "forbidden");
    await save();
    await t.mutation(api.console.access.mail.remove, { session: owner });
    expect(await t.query(api.console.access.mail.settings, { session: owner })).toBeNull();
    expect(await everything()).toContain("mail.removed");
  });

  it("is one function for all parts of Gleaner", async () => {
    await save();
    const mail = {
      organizationId: acme.organizationId,
      to: email,
      sender: "Gleaner",
      subject: "A lane is\r\nBcc: x@example.org",
      text: "Hi",
    };
    expect(await t.action(internal.access.mail.send, mail)).toEqual({ problem: null });
    expect(mailbox.mails[0]!.to).toEqual([email]);
    const refused = await t.action(internal.access.mail.send, { ...mail, to: "nobody@example.org" });
    expect(refused.problem).toContain("No such mailbox");
  });
});

it("mails are in the language in which their reader last read the console, and invitations in the inviter's", async () => {
  await save();
  const read = async (language: "en" | "de"): Promise<void> => {
    await t.mutation(api.console.account.use, { session: owner, language });
  };
  const lastMail = (): string => mailbox.mails.at(-1)?.text ?? "";
  await read("de");
  await t.mutation(api.console.account.use, { session: owner });
  await sendTest();
  expect(lastMail()).toContain("From: Gleaner von Acme <gleaner@example.org>");
  expect(lastMail()).toContain("Das ist die Testmail");
  const bo = { name: "Bo", roles: ["auditor" as const], email: "bo@example.org" };
  const { token, invitationId } = await inviteMember(t, owner, bo);
  await t.action(api.console.access.mail.sendInvitation, { session: owner, invitationId, token, page });
  expect(lastMail()).toContain("Hallo Bo,");
  const { organizationId } = acme;
  await t.mutation(api.console.access.mail.forgotPassword, { organizationId, email, page });
  await vi.waitFor(() => expect(mailbox.mails).toHaveLength(3), { timeout: 60_000 });
  await t.finishInProgressScheduledFunctions();
  expect(lastMail()).toContain("auf der Seite Konto");
  await read("en");
  await sendTest();
  expect(lastMail()).toContain("This is the test mail that you asked for.");
});

describe("an invitation", () => {
  it("is mailed with a link that works, if it has an address", async () => {
    await save();
    const bo = { name: "Bo", roles: ["requester" as const], email: "bo@example.org" };
    const { token, invitationId } = await inviteMember(t, owner, bo);
    const sendIt = async (given: string) =>
      await t.action(api.console.access.mail.sendInvitation, {
        session: owner,
        invitationId,
        token: given,
        page,
      });
    expect(await sendIt(token)).toEqual({ problem: null });
    const [{ to, text } = { to: [], text: "" }] = mailbox.mails;
    expect(to).toEqual(["bo@example.org"]);
    expect(text).toContain("Ann invites you to Acme on Gleaner. Your roles there: Requester.");
    expect(text).toContain(`https://gleaner.example.org/console/#invite=${token}`);
    await expectRefusal(sendIt(secret("gi_")), "not_found");
    expect(await everything()).not.toContain(token);
    const none = await inviteMember(t, owner, { name: "Cy", roles: ["donor"] });
    const unaddressed = { session: owner, invitationId: none.invitationId, token: none.token, page };
    await expectRefusal(t.action(api.console.access.mail.sendInvitation, unaddressed), "conflict");
    const elsewhere = { session: owner, invitationId, token, page: "https://evil.example/" };
    await expectRefusal(t.action(api.console.access.mail.sendInvitation, elsewhere), "invalid");
  });
});

describe("somebody who forgot the password", () => {
  const forgot = async (address = email): Promise<null> =>
    await t.mutation(api.console.access.mail.forgotPassword, {
      organizationId: acme.organizationId,
      email: address,
      page,
    });

  /** Waits until so many mails have come. */
  const deliver = async (count: number): Promise<void> => {
    await vi.waitFor(() => expect(mailbox.mails).toHaveLength(count), { timeout: 60_000 });
    await t.finishInProgressScheduledFunctions();
  };

  it("is mailed a link that works once, within an hour", async () => {
    await save();
    await forgot(" Ann@Example.org ");
    await deliver(1);
    const [{ to, text } = { to: [], text: "" }] = mailbox.mails;
    expect(to).toEqual([email]);
    const token = /https:\/\/gleaner\.example\.org\/console\/#signin=(gs_[\w-]{43})/.exec(text)?.[1] ?? "";
    expect(await everything()).toMatch(/password-reset-asked/);
    expect(await everything()).not.toContain(token);
    const session = secret("gs_");
    const trade = async () => await t.mutation(api.console.account.signIn, { token, session });
    expect(await trade()).toMatchObject({ kind: "signed-in", member: { name: "Ann" } });
    expect(await trade()).toMatchObject({ kind: "refused", reason: "used" });
    await t.action(api.console.access.passwords.set, { session, password: "correct horse battery" });
    await forgot();
    await deliver(2);
    const late = /#signin=(gs_[\w-]{43})/.exec(mailbox.mails[1]!.text)?.[1] ?? "";
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(await t.mutation(api.console.account.signIn, { token: late, session: secret("gs_") })).toEqual({
      kind: "refused",
      reason: "expired",
    });
  });

  it("gets the same answer with an unknown address and without a mail server", async () => {
    expect(await forgot()).toBeNull();
    await save();
    expect(await forgot("nobody@example.org")).toBeNull();
    expect(await forgot()).toBeNull();
    await deliver(1);
    const { organizationId } = acme;
    expect(await t.query(api.console.access.signIn.options, { organizationId })).toMatchObject({
      mailsLinks: true,
    });
  });

  it("gets no link if only a provider lets them in", async () => {
    await save();
    await t.run(async (ctx) => {
      const { organizationId } = acme;
      const member = (await ctx.db.query("members").collect()).find((each) => each.email === email)!;
      for (const row of await ctx.db.query("passwords").collect()) await ctx.db.delete("passwords", row._id);
      const account = { issuer: "https://id.example.org", subject: "ann", memberId: member._id };
      await ctx.db.insert("ssoAccounts", { organizationId, ...account });
    });
    expect(await forgot()).toBeNull();
    await t.finishInProgressScheduledFunctions();
    expect(await everything()).not.toMatch(/password-reset-asked/);
    expect(mailbox.mails).toEqual([]);
  });

  it("waits after three wishes, whether the address exists or not", async () => {
    await save();
    for (const address of [email, "unknown@example.org"]) {
      for (let n = 0; n < 3; n++) await forgot(address);
      await expectRefusal(forgot(address), "rate_limited");
    }
    await deliver(3);
  });
});
