import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SecondFactorRule } from "../../app/people/second-factor.ts";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { hashSecret } from "../model/authenticate.ts";
import { codeOf } from "../model/secondFactor/totp.ts";
import {
  addOrganization,
  type Backend,
  expectRefusal,
  listKeys,
  type Organization,
  secret,
  signIn,
  startBackend,
} from "./backend.fixture.ts";
import { joinAs } from "./people.fixture.ts";

const email = "ann@example.org";
const password = "correct horse battery";
const waits = { kind: "second-factor" };
const wrong = { kind: "refused", reason: "wrong" };

let t: Backend;
let acme: Organization;
let owner: string;

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ["Date", "setTimeout", "setInterval"] });
  t = startBackend();
  acme = await addOrganization(t);
  owner = await signIn(t, acme);
  await t.mutation(api.console.account.change, { session: owner, name: "Ann", email });
  await t.action(api.console.access.passwords.set, { session: owner, password });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

/** The app's code now, or some steps of 30 seconds later. */
const codeNow = (appSecret: string, steps = 0): string =>
  codeOf(appSecret, Math.floor(Date.now() / 30_000) + steps);

const otherCode = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, "0");

type App = { readonly appSecret: string; readonly recovery: readonly string[] };

/** Sets an app up, as the page Account does. The next code is of the next step. */
async function setUp(session = owner): Promise<App> {
  const { secret: appSecret } = await t.action(api.console.access.secondFactor.begin, { session });
  const code = codeNow(appSecret);
  const recovery = await t.action(api.console.access.secondFactor.confirm, { session, code });
  vi.setSystemTime(Date.now() + 30_000);
  return { appSecret, recovery: recovery ?? [] };
}

async function byPassword(session: string): Promise<unknown> {
  const { organizationId } = acme;
  return await t.action(api.console.access.passwords.signIn, { organizationId, email, password, session });
}

const give = async (session: string, code: string): Promise<unknown> =>
  await t.action(api.console.access.secondFactor.signIn, { session, code });

const me = async (session: string) => await t.query(api.console.account.me, { session });

const setRule = async (rule: SecondFactorRule, session = owner): Promise<unknown> =>
  await t.mutation(api.console.access.secondFactor.setRule, { session, rule });

async function everything(): Promise<string> {
  const tables = ["audit", "secondFactors", "pendingSignIns"] as const;
  const rows = await t.run(
    async (ctx) => await Promise.all(tables.map(async (table) => await ctx.db.query(table).collect())),
  );
  return JSON.stringify(rows);
}

describe("a second factor", () => {
  it("is set up with a code of the app, and its secrets are in no row as they are", async () => {
    vi.stubEnv("GLEANER_SECRETS_KEY", "A".repeat(43));
    const { secret: appSecret, uri } = await t.action(api.console.access.secondFactor.begin, {
      session: owner,
    });
    expect(uri).toContain(`secret=${appSecret}`);
    const wrongCode = otherCode(codeNow(appSecret));
    const confirm = async (code: string) =>
      await t.action(api.console.access.secondFactor.confirm, { session: owner, code });
    expect(await confirm(wrongCode)).toBeNull();
    expect((await t.query(api.console.access.signIn.own, { session: owner })).secondFactor).toBeNull();
    const codes = await confirm(codeNow(appSecret));
    expect(codes).toHaveLength(10);
    const { secondFactor } = await t.query(api.console.access.signIn.own, { session: owner });
    expect(secondFactor).toEqual({ confirmedAt: Date.now(), recoveryCodesLeft: 10 });
    const stored = await everything();
    expect(stored).toContain("member.second-factor-set");
    for (const hidden of [appSecret, ...codes!]) expect(stored).not.toContain(hidden);
    vi.unstubAllEnvs();
  });

  it("needs a proof to be set up, and ends the other sessions", async () => {
    const other = secret("gs_");
    await byPassword(other);
    vi.setSystemTime(Date.now() + 31 * 60_000);
    await expectRefusal(setUp(), "proof_needed");
    await t.action(api.console.access.passwords.prove, { session: owner, password });
    await setUp();
    expect(await me(other)).toBeNull();
    expect(await me(owner)).not.toBeNull();
    await expectRefusal(setUp(), "conflict");
  });

  it("is asked for after the password, and no session begins before it is given", async () => {
    const { appSecret } = await setUp();
    const session = secret("gs_");
    expect(await byPassword(session)).toEqual(waits);
    expect(await me(session)).toBeNull();
    await expectRefusal(t.mutation(api.console.account.use, { session }), "unauthorized");
    expect(await give(session, otherCode(codeNow(appSecret)))).toEqual(wrong);
    expect(await me(session)).toBeNull();
    const code = codeNow(appSecret);
    expect(await give(session, ` ${code.slice(0, 3)} ${code.slice(3)}`)).toMatchObject({
      kind: "signed-in",
      member: { name: "Ann" },
    });
    expect(await me(session)).not.toBeNull();
    expect(await everything()).toMatch(/wrong code.*password, second factor/);
  });

  it("is asked for after a one-time link, too", async () => {
    const { appSecret } = await setUp();
    const { memberId } = (await me(owner))!.member;
    const token = secret("gs_");
    const tokenHash = await hashSecret(token);
    await t.mutation(api.console.people.signInLink, { session: owner, memberId, tokenHash });
    const session = secret("gs_");
    expect(await t.mutation(api.console.account.signIn, { token, session })).toEqual(waits);
    expect(await give(session, codeNow(appSecret))).toMatchObject({ kind: "signed-in" });
  });

  it("accepts each code once, and none before it", async () => {
    const { appSecret } = await setUp();
    const [first, second] = [secret("gs_"), secret("gs_")];
    await byPassword(first);
    await byPassword(second);
    const code = codeNow(appSecret);
    expect(await give(first, code)).toMatchObject({ kind: "signed-in" });
    expect(await give(second, code)).toEqual(wrong);
    expect(await give(second, codeNow(appSecret, -1))).toEqual(wrong);
    expect(await give(second, codeNow(appSecret, 1))).toMatchObject({ kind: "signed-in" });
  });

  it("does not accept the code of the setup again", async () => {
    const { secret: appSecret } = await t.action(api.console.access.secondFactor.begin, { session: owner });
    const code = codeNow(appSecret);
    await t.action(api.console.access.secondFactor.confirm, { session: owner, code });
    const session = secret("gs_");
    await byPassword(session);
    expect(await give(session, code)).toEqual(wrong);
  });

  it("accepts each recovery code once", async () => {
    const { recovery } = await setUp();
    const [first, second] = [secret("gs_"), secret("gs_")];
    await byPassword(first);
    await byPassword(second);
    expect(await give(first, recovery[0]!.toUpperCase())).toMatchObject({ kind: "signed-in" });
    expect(await give(second, recovery[0]!)).toEqual(wrong);
    expect(await give(second, recovery[1]!)).toMatchObject({ kind: "signed-in" });
    const { secondFactor } = await t.query(api.console.access.signIn.own, { session: owner });
    expect(secondFactor).toMatchObject({ recoveryCodesLeft: 8 });
    expect(await everything()).toContain("member.recovery-code-used");
  });

  it("gets new recovery codes, and the earlier ones work no more", async () => {
    const { recovery } = await setUp();
    const renewed = await t.action(api.console.access.secondFactor.renewRecoveryCodes, { session: owner });
    const session = secret("gs_");
    await byPassword(session);
    expect(await give(session, recovery[0]!)).toEqual(wrong);
    expect(await give(session, renewed[0]!)).toMatchObject({ kind: "signed-in" });
  });

  it("waits after ten codes, also with the right one", async () => {
    const { appSecret } = await setUp();
    vi.setSystemTime(Date.now() + 3_600_000);
    const session = secret("gs_");
    await byPassword(session);
    for (let n = 0; n < 10; n++) expect(await give(session, otherCode(codeNow(appSecret)))).toEqual(wrong);
    await expectRefusal(give(session, codeNow(appSecret)), "rate_limited");
    vi.setSystemTime(Date.now() + 5 * 60_000 + 1_000);
    expect(await give(session, codeNow(appSecret))).toMatchObject({ kind: "signed-in" });
  });

  it("is waited for ten minutes, and only in the browser that began", async () => {
    const { appSecret } = await setUp();
    const session = secret("gs_");
    await byPassword(session);
    const ended = { kind: "refused", reason: "ended" };
    expect(await give(secret("gs_"), codeNow(appSecret))).toEqual(ended);
    vi.setSystemTime(Date.now() + 10 * 60_000);
    expect(await give(session, codeNow(appSecret))).toEqual(ended);
  });

  it("proves who the member is, for acts that last", async () => {
    const { appSecret } = await setUp();
    vi.setSystemTime(Date.now() + 31 * 60_000);
    const remove = async () => await t.mutation(api.console.access.secondFactor.remove, { session: owner });
    const prove = async (code: string) =>
      await t.action(api.console.access.secondFactor.prove, { session: owner, code });
    await expectRefusal(remove(), "proof_needed");
    const code = codeNow(appSecret);
    expect(await prove(otherCode(code))).toBe(false);
    await expectRefusal(remove(), "proof_needed");
    expect(await prove(code)).toBe(true);
    expect(await prove(code)).toBe(false);
    await remove();
    expect(await byPassword(secret("gs_"))).toMatchObject({ kind: "signed-in" });
    expect(await everything()).toContain("member.second-factor-removed");
  });

  it("leaves an entry in the audit trail when it is refused, in the name of a signed-in member", async () => {
    const { appSecret } = await setUp();
    const session = secret("gs_");
    await byPassword(session);
    const wrongCode = otherCode(codeNow(appSecret));
    await give(session, wrongCode);
    await t.action(api.console.access.secondFactor.prove, { session: owner, code: wrongCode });
    await give(secret("gs_"), wrongCode);
    const { page } = await t.query(api.console.audit.list, {
      session: owner,
      group: "refusals",
      paginationOpts: { numItems: 10, cursor: null },
    });
    const action = "member.sign-in-refused";
    expect(page).toMatchObject([
      { action: "sign-in.refused", actor: "visitor", detail: "second factor: no sign-in waits for it" },
      { action, actor: "member", by: "Ann", name: "Ann", detail: "wrong code" },
      { action, actor: "visitor", name: "Ann", detail: "wrong code" },
    ]);
    expect(JSON.stringify(page)).not.toContain(wrongCode);
    for (let n = 0; n < 40; n++) await give(secret("gs_"), wrongCode);
    const rows = await t.run(async (ctx) => await ctx.db.query("audit").collect());
    expect(rows.filter((row) => row.action === "sign-in.refused")).toHaveLength(19);
  });

  it("is asked of a member who has only links and an app, too", async () => {
    const { session } = await joinAs(t, owner, { name: "Bo", roles: ["admin"] });
    await setUp(session);
    vi.setSystemTime(Date.now() + 31 * 60_000);
    await expectRefusal(t.mutation(api.console.access.secondFactor.remove, { session }), "proof_needed");
  });
});

describe("an administrator", () => {
  let admin: string;
  let memberId: Id<"members">;
  const reset = async (session: string): Promise<unknown> =>
    await t.mutation(api.console.access.secondFactor.reset, { session, memberId });

  beforeEach(async () => {
    ({ session: admin } = await joinAs(t, owner, { name: "Bo", roles: ["admin"] }));
    ({ memberId } = (await me(owner))!.member);
  });

  it("resets the second factor of a member who lost it, whose sessions end", async () => {
    const { session, memberId: lost } = await joinAs(t, owner, { name: "Cy", roles: ["donor"] });
    await setUp(session);
    memberId = lost;
    expect(await reset(admin)).toEqual({ reset: true });
    expect(await reset(admin)).toEqual({ reset: false });
    expect(await me(session)).toBeNull();
    expect(await everything()).toContain("member.second-factor-reset");
  });

  it("does not reset that of an owner, but the operator can", async () => {
    await setUp();
    await expectRefusal(reset(admin), "forbidden");
    const token = secret("gs_");
    const link = { organizationId: acme.organizationId, tokenHash: await hashSecret(token) };
    await t.mutation(internal.setup.signInLink, { ...link, resetSecondFactor: true });
    const session = secret("gs_");
    expect(await t.mutation(api.console.account.signIn, { token, session })).toMatchObject({
      kind: "signed-in",
    });
  });
});

describe("an organization that requires a second factor", () => {
  it("gives members without one nothing but the setup, until it is done", async () => {
    await setUp();
    const { session } = await joinAs(t, owner, { name: "Bo", roles: ["admin"] });
    expect(await me(session)).toMatchObject({ needsSecondFactor: false });
    await setRule("required");
    expect(await me(session)).toMatchObject({ needsSecondFactor: true });
    await expectRefusal(listKeys(t, session), "second_factor_needed");
    await expectRefusal(
      t.mutation(api.console.people.createTeam, { session, name: "X" }),
      "second_factor_needed",
    );
    await expectRefusal(
      t.action(api.console.access.passwords.set, { session, password }),
      "second_factor_needed",
    );
    expect(await listKeys(t, owner)).not.toEqual([]);
    await setUp(session);
    expect(await me(session)).toMatchObject({ needsSecondFactor: false });
    expect(await listKeys(t, session)).not.toEqual([]);
  });

  it("is not satisfied by another factor that a session sets up without the one that its member has", async () => {
    await t.run(async (ctx) => {
      const member = (await ctx.db.query("members").collect()).find((each) => each.email === email)!;
      await ctx.db.insert("passkeys", {
        organizationId: acme.organizationId,
        memberId: member._id,
        credentialId: "phone",
        publicKey: "key",
        counter: 0,
        transports: [],
        name: "Phone",
        createdAt: Date.now(),
      });
    });
    await setRule("required");
    const session = secret("gs_");
    expect(await byPassword(session)).toMatchObject({ kind: "signed-in", needsSecondFactor: true });
    vi.stubEnv("CONVEX_SITE_URL", "https://gleaner.example.org");
    const page = "https://gleaner.example.org/console/#/account";
    await expectRefusal(t.action(api.console.access.secondFactor.begin, { session }), "second_factor_needed");
    await expectRefusal(
      t.action(api.console.access.passkeys.beginAdd, { session, page }),
      "second_factor_needed",
    );
  });

  it("records a wrong password of a session that lacks it", async () => {
    await setRule("required");
    const session = secret("gs_");
    await byPassword(session);
    const prove = { session, password: "wrong horse battery" };
    expect(await t.action(api.console.access.passwords.prove, prove)).toBe(false);
    expect(await everything()).toContain("sign-in-refused");
  });

  it("asks a member who removes it to set up another one", async () => {
    await setUp();
    await setRule("required");
    await t.mutation(api.console.access.secondFactor.remove, { session: owner });
    await expectRefusal(setRule("optional"), "second_factor_needed");
    await setUp();
    await setRule("optional");
    expect(await everything()).toContain("required → optional");
  });
});
