import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api } from "../_generated/api.js";
import { Authenticator } from "./authenticator.fixture.ts";
import {
  addOrganization,
  type Backend,
  expectRefusal,
  type Organization,
  secret,
  signIn,
  startBackend,
} from "./backend.fixture.ts";
import { joinAs } from "./people.fixture.ts";

const origin = "https://gleaner.example.org";
const page = `${origin}/console/#/account`;
const unknown = { kind: "refused", reason: "unknown-passkey" };

let t: Backend;
let acme: Organization;
let owner: string;
let device: Authenticator;

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ["Date", "setTimeout", "setInterval"] });
  vi.stubEnv("CONVEX_SITE_URL", origin);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  t = startBackend();
  acme = await addOrganization(t);
  owner = await signIn(t, acme);
  device = new Authenticator(origin);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

async function add(session = owner, by = device, name = "Laptop"): Promise<void> {
  const options = await t.action(api.console.access.passkeys.beginAdd, { session, page });
  await t.action(api.console.access.passkeys.add, { session, name, registration: by.create(options) });
}

const begin = async () => await t.action(api.console.access.passkeys.begin, { page });

type Assertion = ReturnType<Authenticator["get"]>;

const signInWith = async (assertion: Assertion, session = secret("gs_")) =>
  await t.action(api.console.access.passkeys.signIn, { assertion, session });

const passkeys = async (session = owner) =>
  (await t.query(api.console.access.signIn.own, { session })).passkeys;

const me = async (session: string) => await t.query(api.console.account.me, { session });

async function trail(): Promise<string> {
  return JSON.stringify(await t.run(async (ctx) => await ctx.db.query("audit").collect()));
}

describe("a passkey", () => {
  it("signs its member in without an address, as both factors", async () => {
    await add();
    const session = secret("gs_");
    expect(await signInWith(device.get(await begin()), session)).toMatchObject({
      kind: "signed-in",
      needsSecondFactor: false,
    });
    await t.mutation(api.console.access.secondFactor.setRule, { session, rule: "required-everywhere" });
    expect(await me(session)).toMatchObject({ needsSecondFactor: false });
    expect((await t.query(api.console.account.sessions, { session }))[0]).toMatchObject({
      method: "passkey",
    });
    expect(await passkeys(session)).toMatchObject([{ name: "Laptop", usedAt: Date.now() }]);
    expect(await trail()).toMatch(/passkey-added.*passkey, second factor/);
  });

  it("is asked for with the address's domain, and its device must check its user", async () => {
    const options = await t.action(api.console.access.passkeys.beginAdd, { session: owner, page });
    expect(options.rp.id).toBe("gleaner.example.org");
    expect(options.authenticatorSelection).toMatchObject({
      residentKey: "required",
      userVerification: "required",
    });
    device.checksUser = false;
    const wrong = { session: owner, name: "X", registration: device.create(options) };
    await expectRefusal(t.action(api.console.access.passkeys.add, wrong), "invalid");
    device.checksUser = true;
    await add();
    device.checksUser = false;
    expect(await signInWith(device.get(await begin()))).toEqual(unknown);
  });

  it("signs each challenge once, within five minutes, on the page that asked", async () => {
    await add();
    const challenge = await begin();
    expect(await signInWith(device.get(challenge))).toMatchObject({ kind: "signed-in" });
    expect(await signInWith(device.get(challenge))).toEqual(unknown);
    const late = await begin();
    vi.setSystemTime(Date.now() + 5 * 60_000);
    expect(await signInWith(device.get(late))).toEqual(unknown);
    device.origin = "https://gleaner.example.com";
    expect(await signInWith(device.get(await begin()))).toEqual(unknown);
    const elsewhere = t.action(api.console.access.passkeys.begin, { page: "https://gleaner.example.com/" });
    await expectRefusal(elsewhere, "invalid");
  });

  it("is refused with an unknown key, a made-up challenge and another person's handle", async () => {
    await add();
    expect(await signInWith(new Authenticator(origin).get(await begin()))).toEqual(unknown);
    expect(await signInWith(device.get({ challenge: "made-up" }))).toEqual(unknown);
    const other = new Authenticator(origin);
    const forged = { ...other.get(await begin()), id: device.id };
    expect(await signInWith(forged)).toEqual(unknown);
    device.userHandle = "c29tZWJvZHkgZWxzZQ";
    expect(await signInWith(device.get(await begin()))).toEqual(unknown);
    await expectRefusal(signInWith({ ...device.get(await begin()), clientDataJSON: "e30" }), "invalid");
  });

  it("is refused when its counter does not grow, since it may be a copy", async () => {
    device.counter = 5;
    await add();
    expect(await signInWith(device.get(await begin()))).toMatchObject({ kind: "signed-in" });
    device.counter = 4;
    expect(await signInWith(device.get(await begin()))).toEqual(unknown);
    expect(await signInWith(device.get(await begin()))).toEqual(unknown);
    expect(await signInWith(device.get(await begin()))).toMatchObject({ kind: "signed-in" });
  });

  it("proves who its member is, and nobody else", async () => {
    await add();
    vi.setSystemTime(Date.now() + 31 * 60_000);
    const rename = async () =>
      await t.mutation(api.console.people.createTeam, { session: owner, name: "Team" });
    await expectRefusal(rename(), "proof_needed");
    await expectRefusal(add(owner, new Authenticator(origin)), "proof_needed");
    const prove = async (session: string): Promise<boolean> =>
      await t.action(api.console.access.passkeys.prove, { session, assertion: device.get(await begin()) });
    const link = secret("gs_");
    await signInWith(device.get(await begin()), link);
    const { session } = await joinAs(t, link, { name: "Bo", roles: ["admin"] });
    expect(await prove(session)).toBe(false);
    expect(await prove(owner)).toBe(true);
    await rename();
  });

  it("is one of several, each with a name, and goes only with a proof", async () => {
    const phone = new Authenticator(origin);
    await add();
    await add(owner, phone, "Phone");
    await expectRefusal(add(owner, phone, "Again"), "conflict");
    const [first, second] = await passkeys();
    const { passkeyId } = first!;
    await t.mutation(api.console.access.signIn.renamePasskey, {
      session: owner,
      passkeyId,
      name: "Work laptop",
    });
    expect((await passkeys()).map(({ name }) => name)).toEqual(["Work laptop", "Phone"]);
    const renamed = await t.run(async (ctx) => await ctx.db.query("audit").order("desc").first());
    expect(renamed).toMatchObject({
      action: "member.passkey-renamed",
      detail: `name: ${first!.name} → Work laptop`,
    });
    vi.setSystemTime(Date.now() + 31 * 60_000);
    const remove = async (session: string) =>
      await t.mutation(api.console.access.signIn.removePasskey, { session, passkeyId });
    await expectRefusal(remove(owner), "proof_needed");
    const fresh = secret("gs_");
    await signInWith(phone.get(await begin()), fresh);
    await remove(fresh);
    expect(await signInWith(device.get(await begin()))).toEqual(unknown);
    expect(await passkeys(fresh)).toMatchObject([{ passkeyId: second!.passkeyId }]);
    expect(await me(owner)).not.toBeNull();
  });

  it("satisfies an organization that requires a second factor, until the last one goes", async () => {
    await t.mutation(api.console.access.secondFactor.setRule, { session: owner, rule: "required" });
    expect(await me(owner)).toMatchObject({ needsSecondFactor: true });
    await add();
    expect(await me(owner)).toMatchObject({ needsSecondFactor: false });
    const [{ passkeyId } = { passkeyId: "" as never }] = await passkeys();
    await t.mutation(api.console.access.signIn.removePasskey, { session: owner, passkeyId });
    expect(await me(owner)).toMatchObject({ needsSecondFactor: true });
  });

  it("goes when an administrator resets the member's second factor, and when the member is removed", async () => {
    const { session, memberId } = await joinAs(t, owner, { name: "Bo", roles: ["donor"] });
    await add(session);
    expect(await t.mutation(api.console.access.secondFactor.reset, { session: owner, memberId })).toEqual({
      reset: true,
    });
    expect(await me(session)).toBeNull();
    expect(await signInWith(device.get(await begin()))).toEqual(unknown);
    const cy = await joinAs(t, owner, { name: "Cy", roles: ["donor"] });
    const phone = new Authenticator(origin);
    await add(cy.session, phone);
    await t.mutation(api.console.people.remove, { session: owner, memberId: cy.memberId });
    expect(await signInWith(phone.get(await begin()))).toEqual(unknown);
  });
});

describe("a refused passkey leaves an entry in the audit trail", () => {
  type Entry = { readonly action: string; readonly subject: string; readonly detail?: string };

  async function refusals(): Promise<readonly (Entry & { readonly memberId?: string })[]> {
    const rows = await t.run(async (ctx) => await ctx.db.query("audit").collect());
    return rows.flatMap(({ action, subject, detail = "", memberId }) =>
      action === "sign-in.refused" || action === "member.sign-in-refused"
        ? [{ action, subject, detail, ...(memberId === undefined ? {} : { memberId }) }]
        : [],
    );
  }

  const ownerId = async () => (await t.query(api.console.account.me, { session: owner }))!.member.memberId;

  it("that names the member whose passkey it is, and says why", async () => {
    device.counter = 5;
    await add();
    const used = await begin();
    await signInWith(device.get(used));
    await signInWith(device.get(used));
    await signInWith({ ...new Authenticator(origin).get(await begin()), id: device.id });
    device.counter = 2;
    await signInWith(device.get(await begin()));
    await signInWith(new Authenticator(origin).get(await begin()));
    const [action, subject] = ["sign-in.refused", await ownerId()];
    expect(await refusals()).toEqual([
      { action, subject, detail: "passkey: its challenge was used already or too old" },
      { action, subject, detail: "passkey: wrong signature" },
      { action, subject, detail: "passkey: its counter did not grow, so it may be a copy" },
      { action, subject: "unknown", detail: "passkey: nobody has it" },
    ]);
  });

  it("that names the signed-in member who could not confirm who they are", async () => {
    await add();
    const bo = await joinAs(t, owner, { name: "Bo", roles: ["donor"] });
    const prove = async (assertion: Assertion): Promise<boolean> =>
      await t.action(api.console.access.passkeys.prove, { session: bo.session, assertion });
    expect(await prove(device.get(await begin()))).toBe(false);
    expect(await prove(device.get({ challenge: "made-up" }))).toBe(false);
    const ofBo = { action: "member.sign-in-refused", subject: bo.memberId, memberId: bo.memberId };
    expect(await refusals()).toEqual([
      { ...ofBo, detail: "passkey: it belongs to another member" },
      { ...ofBo, detail: "passkey: its challenge was used already or too old" },
    ]);
  });

  it("but does not fill it", async () => {
    await add();
    for (let n = 0; n < 40; n++) {
      await signInWith({ ...device.get({ challenge: `made-up ${String(n)}` }), id: device.id });
    }
    expect(await refusals()).toHaveLength(20);
  });
});
