import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { hashSecret } from "../model/authenticate.ts";
import {
  addDevice,
  addOrganization,
  answerMicro,
  type Backend,
  claim,
  complete,
  type Device,
  expectBooksInOrder,
  expectRefusal,
  listKeys,
  type Organization,
  pass,
  secret,
  signIn,
  submit,
} from "./backend.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

type Person = { readonly session: string; readonly memberId: Id<"members"> };

let t: Backend;
let acme: Organization;
let session: string;
let device: Device;
let ada: Person;
let bo: Person;
let moves = 0;

const dayMs = 86_400_000;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  device = await addDevice(t, acme);
  ada = await joinAs(t, session, { name: "Ada", roles: ["donor", "requester"] });
  bo = await joinAs(t, session, { name: "Bo", roles: ["donor"] });
  await own(ada.memberId);
});

afterEach(closeWorld);

const own = async (owner: Id<"members"> | Id<"teams">) =>
  await t.mutation(api.console.devices.setOwner, { session, deviceId: device.deviceId, owner });

/** Lets the device answer some jobs, and projects the ledger. */
async function earn(jobs = 1): Promise<void> {
  for (let i = 0; i < jobs; i += 1) {
    const jobId = await submit(t, acme);
    await complete(t, device, await claim(t, device, jobId));
  }
  await project();
}

async function project(): Promise<void> {
  await pass(t, 5_000);
  await t.mutation(internal.maintenance.project, {});
}

const mine = async (person: Person) =>
  await t.query(api.console.money.credits.mine, { session: person.session });
const ownPayouts = async (person: Person, numItems = 10, cursor: string | null = null) =>
  await t.query(api.console.money.credits.payouts, {
    session: person.session,
    paginationOpts: { numItems, cursor },
  });
const available = async (person: Person) => (await mine(person)).availableMicro;
const earned = async () =>
  await t.query(api.devices.earnings, { key: device.key, since: Date.now() - dayMs });
const moveId = (): string => `move-${String((moves += 1))}`;

async function keyOf(person: Person): Promise<Id<"apiKeys">> {
  const keyId = (await listKeys(t, session))[0]!.keyId;
  await t.mutation(api.console.keys.setOwner, { session, keyId, owner: person.memberId });
  return keyId;
}

const toKey = async (person: Person, micro: bigint, keyId: Id<"apiKeys">, id = moveId()) =>
  await t.mutation(api.console.money.credits.toKey, { session: person.session, moveId: id, micro, keyId });
const give = async (
  from: Person,
  to: Id<"members"> | Id<"teams">,
  micro: bigint,
  id = moveId(),
  note = "Thanks",
) =>
  await t.mutation(api.console.money.credits.give, {
    session: from.session,
    moveId: id,
    micro,
    to,
    note,
  });
const ask = async (person: Person, micro: bigint) =>
  await t.mutation(api.console.money.credits.askPayout, {
    session: person.session,
    moveId: moveId(),
    micro,
    note: null,
  });
const setRules = async (rules: Partial<Parameters<typeof ruled>[0]>) => await ruled({ ...noRules, ...rules });
const ruled = async (rules: typeof noRules) =>
  await t.mutation(api.console.money.houseRules.set, { session, ...rules });
const noRules = {
  expireMonths: null as number | null,
  bonus: null as null | {
    percent: number;
    capMicro: bigint;
    hours: { day: number; from: number; to: number }[];
  },
  payout: null as null | { currency: string; perCreditMicro: bigint },
};
const euros = { currency: "EUR", perCreditMicro: 500_000_000n };

const statementOf = async (person: Person, at = Date.now()) =>
  await t.query(api.console.money.credits.statement, { session: person.session, at, now: Date.now() });

describe("earned credits", () => {
  it("are available once they are projected, and not before", async () => {
    const jobId = await submit(t, acme);
    await complete(t, device, await claim(t, device, jobId));
    expect(await available(ada)).toBe(0n);
    await project();
    expect(await available(ada)).toBe(answerMicro);
    expect(await available(bo)).toBe(0n);
  });

  it("become budget of an own key at once, and the device keeps its sum of earnings", async () => {
    await earn(2);
    const keyId = await keyOf(ada);
    const before = (await listKeys(t, session))[0]!.balanceMicro;
    await toKey(ada, answerMicro, keyId);
    expect((await listKeys(t, session))[0]!.balanceMicro).toBe(before + answerMicro);
    expect(await available(ada)).toBe(answerMicro);
    expect(await earned()).toMatchObject({
      balanceMicro: 2n * answerMicro,
      todayMicro: 2n * answerMicro,
      jobsSucceeded: 2,
    });
    const { money } = await t.query(api.console.overview.summary, { session });
    expect(money).toEqual({ ledgerSum: 0n, spentMicro: 2n * answerMicro, earnedMicro: 2n * answerMicro });
    await expectBooksInOrder(t);
  });

  it("move once, however often the same move is sent", async () => {
    await earn(2);
    const keyId = await keyOf(ada);
    for (let i = 0; i < 3; i += 1) await toKey(ada, answerMicro, keyId, "same");
    expect(await available(ada)).toBe(answerMicro);
    expect((await mine(ada)).moves).toHaveLength(1);
  });

  it("never fall below zero, also with moves at the same time", async () => {
    await earn(3);
    const keyId = await keyOf(ada);
    const all = await Promise.allSettled([
      toKey(ada, 2n * answerMicro, keyId),
      give(ada, bo.memberId, 2n * answerMicro),
      give(ada, bo.memberId, 2n * answerMicro),
    ]);
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await available(ada)).toBe(answerMicro);
    await expectRefusal(toKey(ada, answerMicro + 1n, keyId), "conflict");
    await expectRefusal(toKey(ada, 0n, keyId), "invalid");
    await expectRefusal(toKey(ada, -5n, keyId), "invalid");
    await expectBooksInOrder(t);
  });

  it("go to no key of others, and to no revoked one", async () => {
    await earn();
    const keyId = await keyOf(bo);
    await expectRefusal(toKey(ada, 1n, keyId), "not_found");
    await t.mutation(api.console.keys.setOwner, { session, keyId, owner: ada.memberId });
    await t.mutation(api.console.keys.revoke, { session, keyId });
    await expectRefusal(toKey(ada, 1n, keyId), "revoked");
    expect((await mine(ada)).keys).toEqual([]);
  });

  it("are given to a colleague with a note, who can use them", async () => {
    await earn(2);
    await give(ada, bo.memberId, answerMicro, "gift", " For the help ");
    expect(await available(ada)).toBe(answerMicro);
    expect(await available(bo)).toBe(answerMicro);
    expect((await mine(bo)).moves).toMatchObject([
      { kind: "received", other: "Ada", note: "For the help", micro: answerMicro },
    ]);
    await give(bo, ada.memberId, answerMicro);
    expect(await available(ada)).toBe(2n * answerMicro);
    await expectRefusal(give(ada, ada.memberId, 1n), "invalid");
    await expectRefusal(give(ada, bo.memberId, 1n, moveId(), " "), "invalid");
    const rival = await addOrganization(t, { name: "Rival" });
    const stranger = await joinAs(t, await signIn(t, rival), { name: "X", roles: ["donor"] });
    await expectRefusal(give(ada, stranger.memberId, 1n), "not_found");
    await expectBooksInOrder(t);
  });

  it("stay with the former owner of a device", async () => {
    await earn();
    const jobId = await submit(t, acme);
    await complete(t, device, await claim(t, device, jobId));
    await own(bo.memberId);
    expect(await available(ada)).toBe(answerMicro);
    await project();
    expect(await available(ada)).toBe(2n * answerMicro);
    expect(await available(bo)).toBe(0n);
    await earn();
    expect(await available(bo)).toBe(answerMicro);
    expect(await available(ada)).toBe(2n * answerMicro);
    expect((await statementOf(ada)).closingMicro).toBe(2n * answerMicro);
    expect((await earned()).balanceMicro).toBe(3n * answerMicro);
    await expectBooksInOrder(t);
  });

  it("bring nobody pay for their own jobs", async () => {
    await earn(6);
    await give(ada, bo.memberId, 3n * answerMicro);
    await give(bo, ada.memberId, 3n * answerMicro);
    const keyId = await keyOf(ada);
    await toKey(ada, 6n * answerMicro, keyId);
    const before = (await listKeys(t, session))[0]!.balanceMicro;
    await earn(3);
    expect(await available(ada)).toBe(0n);
    expect((await listKeys(t, session))[0]!.balanceMicro).toBe(before);
  });

  it("leave words in the audit trail", async () => {
    await earn(2);
    await toKey(ada, answerMicro, await keyOf(ada));
    await give(ada, bo.memberId, answerMicro);
    const { page } = await t.query(api.console.audit.list, {
      session,
      paginationOpts: { numItems: 3, cursor: null },
    });
    expect(page.map(({ action }) => action)).toEqual([
      "credits.given",
      "credits.moved-to-key",
      "api-key.handed-over",
    ]);
    expect(page[0]?.detail).toMatch(/: Thanks$/);
  });
});

describe("the credits of a team", () => {
  let teamId: Id<"teams">;
  let teamKey: Id<"apiKeys">;

  beforeEach(async () => {
    ({ teamId } = await t.mutation(api.console.people.createTeam, { session, name: "Lab" }));
    await t.mutation(api.console.people.setTeams, { session, memberId: ada.memberId, teamIds: [teamId] });
    teamKey = (await listKeys(t, session))[0]!.keyId;
  });

  const takeKey = async () =>
    await t.mutation(api.console.keys.setOwner, { session, keyId: teamKey, owner: teamId });
  const ofTeam = async () => (await mine(ada)).teams[0]!.availableMicro;
  const use = async (person: Person, micro: bigint, keyId = teamKey, id = moveId()) =>
    await t.mutation(api.console.money.credits.toKey, {
      session: person.session,
      moveId: id,
      micro,
      keyId,
      teamId,
    });
  const balance = async () =>
    (await listKeys(t, session)).find(({ keyId }) => keyId === teamKey)!.balanceMicro;
  const keyOfMember = async (owner: Id<"members">) => {
    const { keyId } = await t.mutation(api.console.keys.create, {
      session,
      name: "other",
      keyHash: "0".repeat(64),
      prefix: "other",
    });
    await t.mutation(api.console.keys.setOwner, { session, keyId, owner });
    return keyId;
  };

  it("are what its devices earned and what members gave, and every member of it can use them", async () => {
    await earn(2);
    await own(teamId);
    await earn(2);
    await takeKey();
    expect(await ofTeam()).toBe(2n * answerMicro);
    await give(ada, teamId, answerMicro);
    await give(ada, teamId, answerMicro, "gift");
    await give(ada, teamId, answerMicro, "gift");
    expect(await ofTeam()).toBe(4n * answerMicro);
    expect(await available(ada)).toBe(0n);
    expect((await mine(ada)).moves[0]).toMatchObject({ kind: "given", other: "Lab" });

    await t.mutation(api.console.people.setTeams, { session, memberId: bo.memberId, teamIds: [teamId] });
    const before = await balance();
    for (let i = 0; i < 3; i += 1) await use(bo, 3n * answerMicro, teamKey, "same");
    expect(await balance()).toBe(before + 3n * answerMicro);
    expect(await ofTeam()).toBe(answerMicro);
    await expectRefusal(use(ada, answerMicro + 1n), "conflict");
    const of = { session: ada.session, of: teamId, at: Date.now(), now: Date.now() };
    const { moves: told, closingMicro } = await t.query(api.console.money.credits.statement, of);
    expect(told).toMatchObject([
      { kind: "received", other: "Ada" },
      { kind: "received", other: "Ada" },
      { kind: "to-key", note: "Bo", micro: -3n * answerMicro },
    ]);
    expect(closingMicro).toBe(answerMicro);
    await expectBooksInOrder(t);
  });

  it("go only to the team's keys, and nobody else uses or receives them", async () => {
    await earn(2);
    await give(ada, teamId, 2n * answerMicro);
    await expectRefusal(use(ada, 1n), "not_found");
    const own = await keyOfMember(ada.memberId);
    await expectRefusal(use(ada, 1n, own), "invalid");
    await takeKey();
    await expectRefusal(use(bo, 1n), "not_found");
    await t.mutation(api.console.keys.setOwner, { session, keyId: own, owner: bo.memberId });
    await expectRefusal(use(bo, 1n, own), "not_found");
    await t.mutation(api.console.people.removeTeam, {
      session,
      teamId: (await t.mutation(api.console.people.createTeam, { session, name: "Gone" })).teamId,
    });
    const gone = (await t.run(async (ctx) => await ctx.db.query("teams").collect())).at(-1)!._id;
    await expectRefusal(give(ada, gone, 1n), "invalid");
    const rival = await addOrganization(t, { name: "Rival" });
    const { teamId: foreign } = await t.mutation(api.console.people.createTeam, {
      session: await signIn(t, rival),
      name: "Theirs",
    });
    await expectRefusal(give(ada, foreign, 1n), "not_found");
    expect(await ofTeam()).toBe(2n * answerMicro);
  });

  it("keep the team from being removed until a key of it has them", async () => {
    await earn(2);
    await give(ada, teamId, 2n * answerMicro);
    const remove = async () => await t.mutation(api.console.people.removeTeam, { session, teamId });
    await expectRefusal(remove(), "conflict");
    await takeKey();
    await use(ada, 2n * answerMicro);
    await expectRefusal(remove(), "conflict");
    const keyId = teamKey;
    await t.mutation(api.console.keys.setOwner, { session, keyId, owner: ada.memberId });
    await remove();
    expect((await mine(ada)).teams).toEqual([]);
    await expectBooksInOrder(t);
  });

  it("do not pay a member for jobs of the team", async () => {
    await earn(2);
    await give(ada, teamId, 2n * answerMicro);
    await takeKey();
    await use(ada, 2n * answerMicro);
    await earn(2);
    expect(await available(ada)).toBe(0n);
  });
});

describe("a payout", () => {
  beforeEach(async () => {
    await earn(3);
    await setRules({ payout: euros });
  });

  const listed = async (state: "asked" | "approved", numItems = 10, cursor: string | null = null) =>
    await t.query(api.console.money.payouts.list, {
      session,
      state,
      from: 0,
      to: 9e15,
      paginationOpts: { numItems, cursor },
    });
  const asked = async () => (await listed("asked")).page;

  it("is held, approved by somebody else, and then in payroll's list", async () => {
    await ask(ada, 2n * answerMicro);
    expect(await available(ada)).toBe(answerMicro);
    const [payout] = await asked();
    expect(payout).toMatchObject({ member: { name: "Ada" }, micro: 2n * answerMicro, state: "asked" });
    expect(payout!.cents).toBe((2n * answerMicro * 500_000_000n) / 10_000_000_000n);
    await t.mutation(api.console.money.payouts.approve, { session, payoutId: payout!.payoutId });
    const { page: approved } = await listed("approved");
    expect(approved).toMatchObject([{ payoutId: payout!.payoutId, state: "approved" }]);
    expect(await available(ada)).toBe(answerMicro);
    await expectRefusal(
      t.mutation(api.console.money.payouts.approve, { session, payoutId: payout!.payoutId }),
      "conflict",
    );
    await expectBooksInOrder(t);
  });

  it("gives the credits back when it is refused with a reason, or withdrawn", async () => {
    await ask(ada, 2n * answerMicro);
    const { payoutId } = (await asked())[0]!;
    await expectRefusal(
      t.mutation(api.console.money.payouts.refuse, { session, payoutId, reason: " " }),
      "invalid",
    );
    await t.mutation(api.console.money.payouts.refuse, { session, payoutId, reason: "Not this quarter" });
    expect(await available(ada)).toBe(3n * answerMicro);
    expect((await ownPayouts(ada)).page).toMatchObject([{ state: "refused", reason: "Not this quarter" }]);
    await ask(ada, answerMicro);
    const second = (await asked())[0]!.payoutId;
    await expectRefusal(
      t.mutation(api.console.money.credits.withdrawPayout, { session: bo.session, payoutId: second }),
      "not_found",
    );
    await t.mutation(api.console.money.credits.withdrawPayout, { session: ada.session, payoutId: second });
    expect(await available(ada)).toBe(3n * answerMicro);
    await expectBooksInOrder(t);
  });

  it("is asked for once at a time, within the balance, and only where the rules allow it", async () => {
    await expectRefusal(ask(ada, 4n * answerMicro), "conflict");
    await ask(ada, answerMicro);
    await expectRefusal(ask(ada, answerMicro), "conflict");
    await setRules({});
    await expectRefusal(ask(bo, 1n), "conflict");
  });

  it("is listed to its member page by page, newest first, beside none of others", async () => {
    for (const micro of [20n, 21n, 22n]) {
      await ask(ada, micro);
      const [payout] = await asked();
      await t.mutation(api.console.money.payouts.approve, { session, payoutId: payout!.payoutId });
    }
    await ask(ada, 23n);
    expect((await mine(ada)).hasOpenPayout).toBe(true);
    const first = await ownPayouts(ada, 3);
    expect(first.page.map(({ micro }) => micro)).toEqual([23n, 22n, 21n]);
    const rest = await ownPayouts(ada, 3, first.continueCursor);
    expect(rest.page.map(({ micro }) => micro)).toEqual([20n]);
    expect(rest.isDone).toBe(true);
    expect((await ownPayouts(bo)).page).toEqual([]);
    expect((await mine(bo)).hasOpenPayout).toBe(false);
  });

  it("is listed page by page, so that payroll gets all of a month", async () => {
    for (const micro of [20n, 21n, 22n]) {
      await ask(ada, micro);
      await t.mutation(api.console.money.payouts.approve, {
        session,
        payoutId: (await asked())[0]!.payoutId,
      });
      await pass(t, 1_000);
    }
    const first = await listed("approved", 2);
    const second = await listed("approved", 2, first.continueCursor);
    expect([first.isDone, second.isDone]).toEqual([false, true]);
    expect([...first.page, ...second.page].map(({ micro }) => micro)).toEqual([22n, 21n, 20n]);
  });

  it("is not approved by the member who asked", async () => {
    await t.mutation(api.console.people.change, {
      session,
      memberId: ada.memberId,
      change: { roles: ["admin", "donor"] },
    });
    await ask(ada, answerMicro);
    const { payoutId } = (await asked())[0]!;
    await expectRefusal(
      t.mutation(api.console.money.payouts.approve, { session: ada.session, payoutId }),
      "forbidden",
    );
  });
});

describe("house rules", () => {
  it("expire credits months after they were earned, and never without notice", async () => {
    await earn(2);
    await setRules({ expireMonths: 1 });
    const [coming] = (await mine(ada)).expiries;
    expect(coming?.micro).toBe(2n * answerMicro);
    await t.mutation(internal.maintenance.expireCredits, {});
    await pass(t, 10);
    expect(await available(ada)).toBe(2n * answerMicro);
    vi.setSystemTime(coming!.at + 1);
    await t.mutation(internal.maintenance.expireCredits, {});
    await pass(t, 10);
    const one = await again(ada);
    expect(await available(one)).toBe(0n);
    const statement = await statementOf(one);
    expect(statement.moves).toMatchObject([{ kind: "expired", micro: -2n * answerMicro }]);
    await expectBooksInOrder(t);
  });

  it("do not let a gift make credits younger", async () => {
    await earn();
    await setRules({ expireMonths: 6 });
    const before = (await mine(ada)).expiries;
    vi.setSystemTime(Date.now() + 20 * dayMs);
    const [one, two] = [await again(ada), await again(bo)];
    await give(one, two.memberId, answerMicro);
    await give(two, one.memberId, answerMicro);
    expect((await mine(one)).expiries).toEqual(before);
  });

  it("pay more in bonus hours, up to the cap, and the key pays the usual price", async () => {
    const hours = [0, 1, 2, 3, 4, 5, 6].map((day) => ({ day, from: 0, to: 24 }));
    const capMicro = (answerMicro * 3n) / 4n;
    await setRules({ bonus: { percent: 50, capMicro, hours } });
    const before = (await listKeys(t, session))[0]!.balanceMicro;
    await earn(3);
    expect(await available(ada)).toBe(3n * answerMicro + capMicro);
    expect((await listKeys(t, session))[0]!.balanceMicro).toBe(before - 3n * answerMicro);
    const { money } = await t.query(api.console.overview.summary, { session });
    expect(money).toMatchObject({ ledgerSum: 0n, spentMicro: 3n * answerMicro });
    const { page } = await t.query(api.devices.history, {
      key: device.key,
      paginationOpts: { numItems: 3, cursor: null },
    });
    expect(page[2]?.explanation).toContain("50% in bonus hours");
    const statement = await statementOf(ada);
    expect(statement.devices).toMatchObject([
      { jobs: 3, micro: 3n * answerMicro + capMicro, bonusMicro: capMicro },
    ]);
    expect(statement.closingMicro).toBe(3n * answerMicro + capMicro);
    await expectBooksInOrder(t);
  });

  it("are checked", async () => {
    await expectRefusal(setRules({ expireMonths: 0 }), "invalid");
    await expectRefusal(setRules({ bonus: { percent: 50, capMicro: 1n, hours: [] } }), "invalid");
    await expectRefusal(
      setRules({ bonus: { percent: 50, capMicro: 1n, hours: [{ day: 1, from: 9, to: 9 }] } }),
      "invalid",
    );
    await expectRefusal(setRules({ payout: { currency: " ", perCreditMicro: 1n } }), "invalid");
  });
});

describe("a statement", () => {
  it("adds up, and stays the same in later months", async () => {
    await earn(4);
    await give(ada, bo.memberId, answerMicro);
    const month = Date.now();
    const first = await statementOf(ada);
    expect(first).toMatchObject({ openingMicro: 0n, closingMicro: 3n * answerMicro });
    expect(first.devices).toMatchObject([{ jobs: 4, micro: 4n * answerMicro }]);
    vi.setSystemTime(month + 40 * dayMs);
    const one = await again(ada);
    await give(one, bo.memberId, answerMicro);
    expect(await statementOf(one, month)).toEqual(first);
    expect(await statementOf(one)).toMatchObject({
      openingMicro: 3n * answerMicro,
      devices: [],
      closingMicro: 2n * answerMicro,
    });
    await expectRefusal(statementOf(one, Date.now() + 1), "invalid");
    await expectRefusal(statementOf(one, 0), "invalid");
  });
});

/** A new session of a member. The earlier one has ended after some days. */
async function again({ memberId }: Person): Promise<Person> {
  const secretText = secret("gs_");
  const sessionHash = await hashSecret(secretText);
  const now = Date.now();
  const { organizationId } = acme;
  const times = { startedAt: now, provenAt: now, expiresAt: now + dayMs };
  await t.run(
    async (ctx) => await ctx.db.insert("sessions", { organizationId, memberId, sessionHash, ...times }),
  );
  return { session: secretText, memberId };
}
