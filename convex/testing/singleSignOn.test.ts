import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Role } from "../../app/people/roles.ts";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { hashSecret } from "../model/authenticate.ts";
import { codeOf } from "../model/secondFactor/totp.ts";
import {
  addOrganization,
  type Backend,
  expectRefusal,
  type Organization,
  secret,
  signIn,
  startBackend,
} from "./backend.fixture.ts";
import {
  clientId,
  clientSecret,
  type OidcProvider,
  type Person,
  startOidcProvider,
  throughProvider,
} from "./oidcProvider.fixture.ts";
import { joinAs } from "./people.fixture.ts";

const siteUrl = "http://127.0.0.1:3999";
const page = `${siteUrl}/console/#/sign-in`;
const callback = `${siteUrl}/auth/callback`;

let t: Backend;
let acme: Organization;
let owner: string;
let provider: OidcProvider;

const settings = {
  name: "Acme ID",
  clientId,
  scopes: "openid email profile groups",
  groupsClaim: "groups",
  groups: [
    { group: "staff", roles: ["requester" as const, "donor" as const] },
    { group: "gleaner-admins", roles: ["admin" as const] },
  ] as { group: string; roles: Role[] }[],
  emailDomains: [] as string[],
  admitsUnknown: true,
  trustsEmail: false,
  enabled: true,
};

const people = (): Record<string, Person> => ({
  ann: { groups: ["staff", "gleaner-admins"] },
  bob: { groups: ["staff"] },
  eve: { groups: ["cooks"] },
});

beforeEach(async () => {
  vi.stubEnv("CONVEX_SITE_URL", siteUrl);
  // The provider warns that it is none for production.
  for (const level of ["warn", "info"] as const) vi.spyOn(console, level).mockReturnValue();
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(Math.floor(Date.now() / 1_000) * 1_000);
  t = startBackend();
  acme = await addOrganization(t);
  owner = await signIn(t, acme);
  provider = await startOidcProvider(callback, people());
});

afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await provider.close();
});

type Over = Partial<typeof settings>;

async function addProvider(over: Over = {}): Promise<Id<"ssoProviders">> {
  const given = { ...settings, issuer: provider.issuer, ...over };
  const saved = { session: owner, providerId: null, settings: given, clientSecret };
  return (await t.action(api.console.access.singleSignOn.save, saved)).providerId;
}

/** Goes to the provider and back. @returns the hash with which the browser comes back to the console. */
async function visit(
  providerId: Id<"ssoProviders">,
  person: string,
  session: string,
): Promise<URLSearchParams> {
  const begun = await t.action(api.console.access.singleSignOn.begin, {
    providerId,
    session,
    returnTo: page,
  });
  const answered = new URL(await throughProvider(begun.url, person, callback));
  const response = await t.fetch(answered.pathname + answered.search, { method: "GET" });
  expect(response.status).toBe(302);
  const back = new URL(response.headers.get("location")!);
  expect(back.href.split("#")[0]).toBe(`${siteUrl}/console/`);
  return new URLSearchParams(back.hash.slice(1));
}

async function signInAs(providerId: Id<"ssoProviders">, person: string, session = secret("gs_")) {
  const code = (await visit(providerId, person, session)).get("sso");
  if (code === null) throw new Error("refused");
  const finished = await t.mutation(api.console.access.signIn.finish, { code, session });
  if (finished.kind !== "signed-in") throw new Error("a second factor is asked for");
  return { session, ...finished };
}

const refusalOf = async (providerId: Id<"ssoProviders">, person: string): Promise<string | null> =>
  (await visit(providerId, person, secret("gs_"))).get("sso-refused");

const me = async (session: string) => await t.query(api.console.account.me, { session });

async function trail(): Promise<string> {
  return JSON.stringify(await t.run(async (ctx) => await ctx.db.query("audit").order("desc").take(50)));
}

describe("single sign-on", () => {
  it("makes a person a member with the roles of their groups", async () => {
    const providerId = await addProvider();
    const { session, member } = await signInAs(providerId, "ann");
    expect(member).toMatchObject({ name: "Person ann", email: "ann@example.org" });
    expect(member.roles).toEqual(["admin", "requester", "donor"]);
    expect(await me(session)).toMatchObject({ member: { memberId: member.memberId } });
    const again = await signInAs(providerId, "ann");
    expect(again.member.memberId).toBe(member.memberId);
    expect(await trail()).toContain("member.joined");
  });

  it("works with a provider that sends claims in the ID token, and with one that gives no refresh token", async () => {
    await provider.close();
    provider = await startOidcProvider(callback, people(), { claimsInIdToken: true, refreshTokens: false });
    const { session, member, expiresAt } = await signInAs(await addProvider(), "bob");
    expect(member.roles).toEqual(["requester", "donor"]);
    expect(expiresAt).toBe(Date.now() + 12 * 3_600_000);
    expect(await me(session)).not.toBeNull();
    expect(await watches()).toEqual([]);
  });

  it("changes roles with the groups, but leaves the last owner one", async () => {
    const providerId = await addProvider();
    const { session } = await signInAs(providerId, "ann");
    provider.people["ann"]!.groups = ["staff"];
    await signInAs(providerId, "ann");
    expect((await me(session))!.member.roles).toEqual(["requester", "donor"]);
    await t.mutation(api.console.account.change, { session: owner, email: "bob@example.org" });
    expect((await signInAs(providerId, "bob")).member.roles).toEqual(["owner", "requester", "donor"]);
  });

  it("refuses a person whose groups have no role, and records it", async () => {
    const providerId = await addProvider();
    expect(await refusalOf(providerId, "eve")).toBe("no-role");
    expect(await trail()).toContain("eve@example.org: no-role");
    expect(await t.run(async (ctx) => await ctx.db.query("members").collect())).toHaveLength(1);
  });

  it("links nobody to a member who only claims the address, until an administrator confirms it", async () => {
    const providerId = await addProvider();
    const { session, memberId } = await joinAs(t, owner, { name: "Mallory", roles: ["donor"] });
    const email = "ann@example.org";
    await t.mutation(api.console.account.change, { session, email });
    expect(await refusalOf(providerId, "ann")).toBe("claimed-address");
    expect(await trail()).toContain("ann@example.org: claimed-address");
    expect((await me(session))!.member.roles).toEqual(["donor"]);
    await t.mutation(api.console.account.change, { session, email, name: "Mal" });
    expect(await refusalOf(providerId, "ann")).toBe("claimed-address");
    await t.mutation(api.console.people.change, { session: owner, memberId, change: { name: "Ann" } });
    expect(await refusalOf(providerId, "ann")).toBe("claimed-address");
    await t.mutation(api.console.people.change, { session: owner, memberId, change: { email } });
    expect(await trail()).toContain("e-mail confirmed");
    expect((await signInAs(providerId, "ann")).member.memberId).toBe(memberId);
  });

  it("links nobody to an administrator who claims an owner's address, either", async () => {
    const providerId = await addProvider({ groups: [{ group: "gleaner-admins", roles: ["owner"] }] });
    const { session, memberId } = await joinAs(t, owner, { name: "Bo", roles: ["admin"] });
    const change = { email: "ann@example.org" };
    await t.mutation(api.console.people.change, { session, memberId, change });
    expect(await refusalOf(providerId, "ann")).toBe("claimed-address");
  });

  it("leaves the second factor to the provider, unless the organization asks for it everywhere", async () => {
    const providerId = await addProvider();
    const { session } = await signInAs(providerId, "ann");
    const { secret: appSecret } = await t.action(api.console.access.secondFactor.begin, { session });
    const step = Math.floor(Date.now() / 30_000);
    const code = codeOf(appSecret, step);
    await t.action(api.console.access.secondFactor.confirm, { session, code });
    const setRule = async (rule: "required" | "required-everywhere") =>
      await t.mutation(api.console.access.secondFactor.setRule, { session: owner, rule });
    await setRule("required");
    owner = session;
    expect((await signInAs(providerId, "ann")).needsSecondFactor).toBe(false);
    expect((await signInAs(providerId, "bob")).needsSecondFactor).toBe(false);
    await t.run(async (ctx) => {
      await ctx.db.patch("organizations", acme.organizationId, { secondFactor: "required-everywhere" });
    });
    expect((await signInAs(providerId, "bob")).needsSecondFactor).toBe(true);
    const asked = secret("gs_");
    const begun = (await visit(providerId, "ann", asked)).get("sso")!;
    const answer = await t.mutation(api.console.access.signIn.finish, { code: begun, session: asked });
    expect(answer).toEqual({ kind: "second-factor" });
    expect(await me(asked)).toBeNull();
    const next = codeOf(appSecret, step + 1);
    const signedIn = await t.action(api.console.access.secondFactor.signIn, { session: asked, code: next });
    expect(signedIn).toMatchObject({ kind: "signed-in", needsSecondFactor: false });
    expect((await watches()).length).toBeGreaterThan(3);
  });

  it("links a member by a verified address only, and then knows them by the subject", async () => {
    const token = secret("gi_");
    const invited = { name: "Bob", email: "bob@example.org", roles: ["auditor" as const] };
    await t.mutation(api.console.people.invite, {
      session: owner,
      tokenHash: await hashSecret(token),
      ...invited,
    });
    const joined = await t.mutation(api.console.account.acceptInvite, { token, session: secret("gs_") });
    if (joined.kind === "refused") throw new Error(joined.reason);
    const providerId = await addProvider({ admitsUnknown: false });
    provider.people["bob"]!.emailVerified = false;
    expect(await refusalOf(providerId, "bob")).toBe("unverified-address");
    provider.people["bob"]!.emailVerified = true;
    const { member } = await signInAs(providerId, "bob");
    expect(member).toMatchObject({ memberId: joined.member.memberId, roles: ["requester", "donor"] });
    provider.people["bob"]!.email = "robert@example.org";
    expect((await signInAs(providerId, "bob")).member.memberId).toBe(member.memberId);
    expect(await trail()).toContain("member.linked");
  });

  it("refuses unknown people, other domains and people whom an administrator removed", async () => {
    const closed = await addProvider({ admitsUnknown: false });
    expect(await refusalOf(closed, "bob")).toBe("unknown");
    expect(await refusalOf(await addProvider({ emailDomains: ["example.com"] }), "bob")).toBe("domain");
    const open = await addProvider({ emailDomains: ["@Example.org"] });
    const { member } = await signInAs(open, "bob");
    await t.mutation(api.console.people.remove, { session: owner, memberId: member.memberId });
    expect(await refusalOf(open, "bob")).toBe("removed");
  });

  it("takes an answer once, within ten minutes, in the browser that began, and only with its own state", async () => {
    const providerId = await addProvider();
    const session = secret("gs_");
    const code = (await visit(providerId, "ann", session)).get("sso")!;
    const finish = async (by: string): Promise<unknown> =>
      await t.mutation(api.console.access.signIn.finish, { code, session: by });
    await expectRefusal(finish(secret("gs_")), "unauthorized");
    await finish(session);
    await expectRefusal(finish(session), "unauthorized");
    const forged = await t.fetch("/auth/callback?code=x&state=y", { method: "GET" });
    expect(forged.status).toBe(400);
    const late = secret("gs_");
    const lateCode = (await visit(providerId, "ann", late)).get("sso")!;
    vi.setSystemTime(Date.now() + 11 * 60_000);
    await expectRefusal(
      t.mutation(api.console.access.signIn.finish, { code: lateCode, session: late }),
      "unauthorized",
    );
  });

  it("sends nobody to a page of somebody else", async () => {
    const providerId = await addProvider();
    for (const returnTo of [
      "https://evil.example/",
      `${siteUrl}.evil.example/`,
      "javascript:alert(1)",
      "x",
    ]) {
      const begin = t.action(api.console.access.singleSignOn.begin, {
        providerId,
        session: secret("gs_"),
        returnTo,
      });
      await expectRefusal(begin, "invalid");
    }
  });

  it("does not believe an answer with another nonce", async () => {
    const providerId = await addProvider();
    const session = secret("gs_");
    const { url } = await t.action(api.console.access.singleSignOn.begin, {
      providerId,
      session,
      returnTo: page,
    });
    await t.run(async (ctx) => {
      const attempt = await ctx.db.query("ssoAttempts").order("desc").first();
      await ctx.db.patch("ssoAttempts", attempt!._id, { nonce: "another" });
    });
    const answered = new URL(await throughProvider(url, "ann", callback));
    const response = await t.fetch(answered.pathname + answered.search, { method: "GET" });
    expect(response.headers.get("location")).toContain("#sso-refused=provider");
  });

  it("proves again who a member is, but never somebody else", async () => {
    const providerId = await addProvider();
    const { session, member } = await signInAs(providerId, "ann");
    vi.setSystemTime(Date.now() + 3_600_000);
    const team = { session, name: "Team" };
    await expectRefusal(t.mutation(api.console.people.createTeam, team), "proof_needed");
    const wrong = (await visit(providerId, "bob", session)).get("sso")!;
    await expectRefusal(
      t.mutation(api.console.access.signIn.finish, { code: wrong, session }),
      "unauthorized",
    );
    const again = await signInAs(providerId, "ann", session);
    expect(again.member.memberId).toBe(member.memberId);
    await t.mutation(api.console.people.createTeam, team);
  });
});

const watches = async () => await t.run(async (ctx) => await ctx.db.query("ssoSessions").collect());

describe("a session by single sign-on", () => {
  const check = async (): Promise<void> => {
    vi.setSystemTime(Date.now() + 3_600_000);
    for (const { _id } of await watches())
      await t.action(internal.access.singleSignOn.check, { watchId: _id });
  };

  it("is checked each hour, and ends when the provider revokes its person", async () => {
    const { session } = await signInAs(await addProvider(), "bob");
    const planned = await t.run(async (ctx) => await ctx.db.system.query("_scheduled_functions").collect());
    const due = planned.filter(({ name }) => name.includes("singleSignOn") && name.includes("check"));
    expect(due.map(({ scheduledTime }) => scheduledTime)).toEqual([Date.now() + 3_600_000]);
    await check();
    await check();
    expect(await me(session)).not.toBeNull();
    provider.people["bob"]!.revoked = true;
    await check();
    expect(await me(session)).toBeNull();
    expect(await watches()).toEqual([]);
    expect(await trail()).toContain("The provider does not know the person anymore");
  });

  it("follows the groups, and ends without a role", async () => {
    const { session } = await signInAs(await addProvider(), "ann");
    provider.people["ann"]!.groups = ["staff"];
    await check();
    expect((await me(session))!.member.roles).toEqual(["requester", "donor"]);
    provider.people["ann"]!.groups = [];
    await check();
    expect(await me(session)).toBeNull();
  });

  it("goes on while the provider cannot be asked, for 12 hours", async () => {
    const { session } = await signInAs(await addProvider(), "bob");
    await provider.close();
    vi.spyOn(console, "error").mockReturnValue();
    for (let hour = 0; hour < 12; hour++) await check();
    expect(await me(session)).not.toBeNull();
    await check();
    expect(await me(session)).toBeNull();
  });

  it("ends at the next check when the provider is removed or turned off", async () => {
    const providerId = await addProvider();
    const { session } = await signInAs(providerId, "bob");
    await t.mutation(api.console.access.signIn.remove, { session: owner, providerId });
    await check();
    expect(await me(session)).toBeNull();
    expect((await t.query(api.console.access.signIn.options, {}))!.providers).toEqual([]);
  });
});

describe("a provider", () => {
  it("is offered to strangers by its name only, and its secret is never shown", async () => {
    vi.stubEnv("GLEANER_SECRETS_KEY", "k".repeat(42) + "A");
    const providerId = await addProvider();
    const { organizationId } = acme;
    expect(await t.query(api.console.access.signIn.options, {})).toEqual({
      organizationId,
      name: "Acme",
      mailsLinks: false,
      providers: [{ providerId, name: "Acme ID" }],
    });
    await signInAs(providerId, "ann");
    const shown = JSON.stringify([
      await t.query(api.console.access.signIn.providers, { session: owner }),
      await trail(),
    ]);
    expect(shown).not.toContain(clientSecret);
    const stored = await t.run(async (ctx) => [
      await ctx.db.query("ssoProviders").collect(),
      await ctx.db.query("ssoSessions").collect(),
    ]);
    expect(JSON.stringify(stored)).not.toContain(clientSecret);
    expect(stored[1]![0]).toMatchObject({ refreshToken: expect.stringMatching(/^sealed1\./) });
  });

  it("is not listed for strangers where there are several organizations", async () => {
    await addProvider();
    const rival = await addOrganization(t, { name: "Rival" });
    expect(await t.query(api.console.access.signIn.options, {})).toBeNull();
    expect(await t.query(api.console.access.signIn.options, { organizationId: "nonsense" })).toBeNull();
    const { organizationId } = rival;
    expect(await t.query(api.console.access.signIn.options, { organizationId })).toMatchObject({
      name: "Rival",
      providers: [],
    });
  });

  it("must exist, use TLS and give somebody a role", async () => {
    await expectRefusal(addProvider({ groups: [] }), "invalid");
    await expectRefusal(addProvider({ scopes: "email" }), "invalid");
    await expectRefusal(addProvider({ emailDomains: ["no domain"] }), "invalid");
    const save = async (issuer: string): Promise<unknown> =>
      await t.action(api.console.access.singleSignOn.save, {
        session: owner,
        providerId: null,
        settings: { ...settings, issuer },
        clientSecret,
      });
    await expectRefusal(save("http://id.example.org"), "invalid");
    vi.spyOn(console, "error").mockReturnValue();
    await expectRefusal(save(`${provider.issuer}/nobody`), "conflict");
    vi.stubEnv("CONVEX_SITE_URL", "https://gleaner.example.org");
    await expectRefusal(save(provider.issuer), "invalid");
  });

  it("keeps its secret when it changes, but not for another issuer", async () => {
    const providerId = await addProvider();
    const save = async (issuer: string, name: string): Promise<unknown> =>
      await t.action(api.console.access.singleSignOn.save, {
        session: owner,
        providerId,
        settings: { ...settings, issuer, name },
      });
    await save(provider.issuer, "New name");
    expect((await signInAs(providerId, "bob")).member.roles).toEqual(["requester", "donor"]);
    const other = await startOidcProvider(callback, {});
    await expectRefusal(save(other.issuer, "Other"), "invalid");
    await other.close();
  });
});
