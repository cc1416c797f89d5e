import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { hashSecret } from "../model/authenticate.ts";
import {
  addOrganization,
  type Backend,
  expectRefusal,
  listKeys,
  type Organization,
  pass,
  secret,
  signIn,
  startBackend,
} from "./backend.fixture.ts";

const email = "ann@example.org";
const password = "correct horse battery";

let t: Backend;
let acme: Organization;
let owner: string;

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ["Date", "setTimeout", "setInterval"] });
  t = startBackend();
  acme = await addOrganization(t);
  owner = await signIn(t, acme);
  await t.mutation(api.console.account.change, { session: owner, name: "Ann", email });
});

afterEach(() => {
  vi.useRealTimers();
});

type Wanted = { readonly given?: string; readonly address?: string; readonly session?: string };

async function byPassword({ given = password, address = email, session = secret("gs_") }: Wanted = {}) {
  const { organizationId } = acme;
  return await t.action(api.console.access.passwords.signIn, {
    organizationId,
    email: address,
    password: given,
    session,
  });
}

const setPassword = async (session = owner, given = password): Promise<null> =>
  await t.action(api.console.access.passwords.set, { session, password: given });

/** The words of the audit trail, newest first. */
async function trail(): Promise<string> {
  const rows = await t.run(async (ctx) => await ctx.db.query("audit").order("desc").take(50));
  return JSON.stringify(rows);
}

describe("a password", () => {
  it("signs its member in, and is in no table and no audit row", async () => {
    await setPassword();
    const session = secret("gs_");
    expect(await byPassword({ session })).toMatchObject({ kind: "signed-in", member: { name: "Ann" } });
    expect(await t.query(api.console.account.me, { session })).toMatchObject({ member: { email } });
    const [row] = await t.query(api.console.account.sessions, { session });
    expect(row).toMatchObject({ method: "password" });
    expect(await t.query(api.console.access.signIn.own, { session })).toMatchObject({
      passwordAt: Date.now(),
    });
    expect(await trail()).toMatch(/member.password-set/);
    const rows = await t.run(async (ctx) => await ctx.db.query("passwords").collect());
    expect(JSON.stringify([rows, await trail()])).not.toContain(password);
  });

  it("accepts the address in any case, and no other password", async () => {
    await setPassword();
    expect(await byPassword({ address: " Ann@Example.org " })).toMatchObject({ kind: "signed-in" });
    expect(await byPassword({ given: "correct horse batterz" })).toEqual({
      kind: "refused",
      reason: "wrong",
    });
    expect(await trail()).toContain("wrong password");
  });

  it("gives the same answer for a wrong password, an unknown address and a member without a password", async () => {
    const wrong = { kind: "refused", reason: "wrong" };
    expect(await byPassword()).toEqual(wrong);
    expect(await byPassword({ address: "nobody@example.org" })).toEqual(wrong);
    await setPassword();
    expect(await byPassword({ given: "another horse battery" })).toEqual(wrong);
  });

  it("is of one organization", async () => {
    await setPassword();
    acme = await addOrganization(t, { name: "Rival" });
    expect(await byPassword()).toEqual({ kind: "refused", reason: "wrong" });
  });

  it("is refused if it is short, common or known", async () => {
    await expectRefusal(setPassword(owner, "short"), "invalid");
    await expectRefusal(setPassword(owner, "password12345"), "invalid");
    await expectRefusal(setPassword(owner, "ann@example.org"), "invalid");
    await expectRefusal(setPassword(secret("gs_")), "unauthorized");
  });

  it("is tried ten times in a row, and then waits, also with the right one", async () => {
    await setPassword();
    for (let n = 0; n < 10; n++) await byPassword({ given: "wrong horse battery" });
    await expectRefusal(byPassword(), "rate_limited");
    expect(await byPassword({ address: "nobody@example.org" })).toMatchObject({ kind: "refused" });
    vi.setSystemTime(Date.now() + 60_000);
    expect(await byPassword()).toMatchObject({ kind: "signed-in" });
  });

  it("ends the other sessions when it changes, and the earlier password works no more", async () => {
    await setPassword();
    const other = secret("gs_");
    await byPassword({ session: other });
    await setPassword(owner, "a new horse for battery");
    expect(await t.query(api.console.account.me, { session: other })).toBeNull();
    expect(await t.query(api.console.account.me, { session: owner })).not.toBeNull();
    expect(await byPassword()).toMatchObject({ kind: "refused" });
    expect(await byPassword({ given: "a new horse for battery" })).toMatchObject({ kind: "signed-in" });
  });

  it("ends all other sessions when it changes, however many they are", async () => {
    for (let n = 0; n < 120; n++) {
      const token = secret("gs_");
      const link = { organizationId: acme.organizationId, tokenHash: await hashSecret(token) };
      await t.mutation(internal.setup.signInLink, link);
      await t.mutation(api.console.account.signIn, { token, session: secret("gs_") });
    }
    const count = async (): Promise<number> =>
      (await t.run(async (ctx) => await ctx.db.query("sessions").collect())).length;
    expect(await count()).toBe(121);
    await t.mutation(api.console.account.endOtherSessions, { session: owner });
    const later = secret("gs_");
    vi.setSystemTime(Date.now() + 1_000);
    const token = secret("gs_");
    const link = { organizationId: acme.organizationId, tokenHash: await hashSecret(token) };
    await t.mutation(internal.setup.signInLink, link);
    await t.mutation(api.console.account.signIn, { token, session: later });
    for (let n = 0; n < 5; n++) await pass(t, 1);
    expect(await count()).toBe(2);
    for (const session of [owner, later]) {
      expect(await t.query(api.console.account.me, { session })).not.toBeNull();
    }
  });

  it("is reset with a link that an administrator makes", async () => {
    await setPassword();
    const memberId = await memberIdOf(owner);
    const token = secret("gs_");
    await t.mutation(api.console.people.signInLink, {
      session: owner,
      memberId,
      tokenHash: await hashSecret(token),
    });
    vi.setSystemTime(Date.now() + 3_600_000);
    const session = secret("gs_");
    await t.mutation(api.console.account.signIn, { token, session });
    await setPassword(session, "a reset horse for battery");
    expect(await byPassword({ given: "a reset horse for battery" })).toMatchObject({ kind: "signed-in" });
    await expectRefusal(t.mutation(api.console.account.use, { session: owner }), "unauthorized");
  });

  it("does not sign in a removed member, and can be removed", async () => {
    await setPassword();
    await t.mutation(api.console.access.signIn.removePassword, { session: owner });
    expect(await byPassword()).toMatchObject({ kind: "refused" });
    expect(await t.query(api.console.access.signIn.own, { session: owner })).toMatchObject({
      passwordAt: null,
    });
    await setPassword();
    const memberId = await memberIdOf(owner);
    await t.run(async (ctx) => await ctx.db.patch("members", memberId, { removedAt: Date.now() }));
    expect(await byPassword()).toMatchObject({ kind: "refused" });
  });
});

describe("an act that lasts", () => {
  const createKey = async (session = owner): Promise<unknown> =>
    await t.mutation(api.console.keys.create, {
      session,
      name: "Key",
      keyHash: await hashSecret(secret("sk-gleaner-")),
      prefix: "sk-gleaner-abcd",
    });

  it("needs a proof within 30 minutes from a member who can prove who they are", async () => {
    await setPassword();
    vi.setSystemTime(Date.now() + 29 * 60_000);
    await createKey();
    vi.setSystemTime(Date.now() + 2 * 60_000);
    await expectRefusal(createKey(), "proof_needed");
    await expectRefusal(
      t.mutation(api.console.people.createTeam, { session: owner, name: "X" }),
      "proof_needed",
    );
    await expectRefusal(setPassword(owner, "a new horse for battery"), "proof_needed");
    expect(await listKeys(t, owner)).not.toEqual([]);
    expect(
      await t.action(api.console.access.passwords.prove, { session: owner, password: "wrong horse" }),
    ).toBe(false);
    await expectRefusal(createKey(), "proof_needed");
    expect(await t.action(api.console.access.passwords.prove, { session: owner, password })).toBe(true);
    await createKey();
    expect(await trail()).toContain("member.proved");
  });

  it("needs none from a member who has only one-time links", async () => {
    vi.setSystemTime(Date.now() + 3_600_000);
    await createKey();
  });

  it("limits the proofs that may be tried", async () => {
    await setPassword();
    const prove = async (given: string): Promise<boolean> =>
      await t.action(api.console.access.passwords.prove, { session: owner, password: given });
    for (let n = 0; n < 10; n++) await prove("wrong horse battery");
    await expectRefusal(prove(password), "rate_limited");
  });
});

async function memberIdOf(session: string): Promise<Id<"members">> {
  return (await t.query(api.console.account.me, { session }))!.member.memberId;
}
