import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { movesSince } from "../model/credits/moves.ts";
import { creditsOf } from "../model/credits/wallet.ts";
import {
  addDevice,
  addOrganization,
  answerMicro,
  claim,
  complete,
  expectBooksInOrder,
  expectRefusal,
  listKeys,
  pass,
  signIn,
  submit,
} from "./backend.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { renewAt, runCrons, settle, settleTurns, waitUntil } from "./time.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

type OwnerId = Id<"members"> | Id<"teams">;

/** The world begins on Friday, 2027-01-15 08:00 (UTC). */
let { t, acme, session }: Awaited<ReturnType<typeof openWorld>> = {} as Awaited<ReturnType<typeof openWorld>>;
let ada: Awaited<ReturnType<typeof joinAs>>;
let teamId: Id<"teams">;
let moves = 0;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  ada = await joinAs(t, session, { name: "Ada", roles: ["donor", "requester"] });
  ({ teamId } = await t.mutation(api.console.people.createTeam, { session, name: "Lab" }));
  await t.mutation(api.console.people.setTeams, { session, memberId: ada.memberId, teamIds: [teamId] });
});

afterEach(closeWorld);

const { credits: own, grants, allowances } = api.console.money;
const credits = (amount: number): bigint => BigInt(amount) * 1_000_000n;
const moveId = (): string => `move-${String((moves += 1))}`;
const monthly = { every: "month", kind: "add", micro: credits(100) } as const;

const give = async (owner: OwnerId, micro: bigint, reason = "A course", by = session) =>
  await t.mutation(grants.change, { session: by, holder: owner, micro, reason });
const mine = async () => await t.query(own.mine, { session: ada.session });
const grantOf = async (owner: OwnerId, by = session) => await t.query(grants.of, { session: by, owner });
const granted = async (owner: OwnerId) => (await grantOf(owner)).grantedMicro;
const usable = async (owner: OwnerId) =>
  owner === ada.memberId ? (await mine()).availableMicro : (await mine()).teams[0]!.availableMicro;
const statementOf = async (owner: OwnerId) => {
  const of = { session: ada.session, of: owner, at: Date.now(), now: Date.now() };
  return await t.query(own.statement, of);
};
const actions = async () => {
  const paginationOpts = { numItems: 30, cursor: null };
  const { page } = await t.query(api.console.audit.list, { session, paginationOpts });
  return page.flatMap(({ action, subject, detail }) =>
    action.startsWith("credits.") ? [[action, subject, detail]] : [],
  );
};

/** Hands the first key over. */
async function keyOf(owner: OwnerId): Promise<Id<"apiKeys">> {
  const { keyId } = (await listKeys(t, session))[0]!;
  await t.mutation(api.console.keys.setOwner, { session, keyId, owner });
  return keyId;
}
const toKey = async (owner: OwnerId, micro: bigint, keyId: Id<"apiKeys">) =>
  await t.mutation(own.toKey, {
    session: ada.session,
    moveId: moveId(),
    micro,
    keyId,
    ...(owner === teamId ? { teamId } : {}),
  });
const balanceOf = async (keyId: Id<"apiKeys">) =>
  (await listKeys(t, session)).find((key) => key.keyId === keyId)!.balanceMicro;

/** Ada's device answers some jobs. */
async function earn(jobs: number): Promise<void> {
  const device = await addDevice(t, acme);
  const { deviceId } = device;
  await t.mutation(api.console.devices.setOwner, { session, deviceId, owner: ada.memberId });
  for (let job = 0; job < jobs; job += 1)
    await complete(t, device, await claim(t, device, await submit(t, acme)));
  await pass(t, 5_000);
  await t.mutation(internal.maintenance.project, {});
}

describe.each([
  ["a member", () => ada.memberId],
  ["a team", () => teamId],
] as const)("credits that an administrator gives to %s", (_, owner) => {
  it("can be used with a key, and are in the statement and the audit trail with their reason and author", async () => {
    await give(owner(), credits(50));
    expect(await granted(owner())).toBe(credits(50));
    expect(await usable(owner())).toBe(credits(50));
    const keyId = await keyOf(owner());
    const before = await balanceOf(keyId);
    await toKey(owner(), credits(20), keyId);
    expect(await balanceOf(keyId)).toBe(before + credits(20));
    expect(await usable(owner())).toBe(credits(30));
    const { openingMicro, closingMicro, moves: lines } = await statementOf(owner());
    expect([openingMicro, closingMicro]).toEqual([0n, credits(30)]);
    expect(lines).toMatchObject([
      { kind: "granted", micro: credits(50), other: "Owner", note: "A course" },
      { kind: "to-key", micro: -credits(20) },
    ]);
    expect(await actions()).toMatchObject([
      ["credits.moved-to-key", keyId, expect.stringMatching(/^20 given credits/)],
      ["credits.changed", owner(), "50 given: A course"],
    ]);
    await expectBooksInOrder(t);
  });

  it("are taken back as far as nobody used them", async () => {
    await give(owner(), credits(50));
    await toKey(owner(), credits(20), await keyOf(owner()));
    await expectRefusal(give(owner(), -credits(31)), "conflict");
    await give(owner(), -credits(30), "Too many");
    expect(await granted(owner())).toBe(0n);
    expect((await statementOf(owner())).moves.at(-1)).toMatchObject({
      kind: "taken-back",
      micro: -credits(30),
      other: "Owner",
      note: "Too many",
    });
    expect((await actions())[0]).toEqual(["credits.changed", owner(), "30 taken: Too many"]);
    await expectBooksInOrder(t);
  });

  it("have bounds and a reason, and are given by those who may change money", async () => {
    for (const micro of [0n, credits(1_000_000_001), -credits(1_000_000_001)])
      await expectRefusal(give(owner(), micro), "invalid");
    await expectRefusal(give(owner(), 1n, "  "), "invalid");
    await expectRefusal(give(owner(), 1n, "For me", ada.session), "forbidden");
    const rival = await signIn(t, await addOrganization(t, { name: "Rival" }));
    await expectRefusal(give(owner(), 1n, "Theirs", rival), "not_found");
    await expectRefusal(grantOf(owner(), rival), "not_found");
    await expectRefusal(
      t.mutation(allowances.set, { session: ada.session, holder: owner(), ...monthly, reason: "For me" }),
      "forbidden",
    );
    expect(await granted(owner())).toBe(0n);
  });

  it("do not expire", async () => {
    await t.mutation(api.console.money.houseRules.set, {
      session,
      expireMonths: 1,
      bonus: null,
      payout: null,
    });
    await give(owner(), credits(5));
    await waitUntil(t, "2028-01-15T08:00");
    await t.mutation(internal.maintenance.expireCredits, {});
    await settle(t);
    expect(await granted(owner())).toBe(credits(5));
  });
});

describe.each([
  ["a member", () => ada.memberId],
  ["a team", () => teamId],
] as const)("an allowance of %s", (_, owner) => {
  const set = async (terms: object = {}) =>
    await t.mutation(allowances.set, {
      session,
      holder: owner(),
      ...monthly,
      reason: "For the lab",
      ...terms,
    });

  it("gives its credits once in each period, and is shown with its next date", async () => {
    await set();
    const shown = { ...monthly, reason: "For the lab", author: "Owner", setAt: 1_800_000_000_000 };
    const { allowance } = await grantOf(owner());
    expect(allowance).toEqual({ ...shown, dueAt: Date.parse("2027-02-01T00:00Z") });
    expect(owner() === teamId ? (await mine()).teams[0]!.allowance : (await mine()).allowance).toEqual(
      allowance,
    );
    await renewAt(t, "2027-01-31T23:59");
    expect(await granted(owner())).toBe(0n);
    await renewAt(t, "2027-02-01T00:00");
    await renewAt(t, "2027-02-01T01:00");
    expect(await granted(owner())).toBe(credits(100));
    await waitUntil(t, "2027-06-20T12:00");
    await runCrons(t, (name) => name.includes("renewAllowances"));
    await settleTurns(t);
    expect(await granted(owner())).toBe(credits(200));
    expect((await statementOf(owner())).moves).toMatchObject([
      {
        kind: "allowance",
        micro: credits(100),
        other: "Owner",
        period: { every: "month", start: Date.parse("2027-06-01T00:00Z") },
        note: "For the lab",
      },
    ]);
    expect((await actions()).map(([action, , detail]) => [action, detail])).toEqual([
      ["credits.allowance-given", "100 given: Allowance for June 2027: For the lab"],
      ["credits.allowance-given", "100 given: Allowance for February 2027: For the lab"],
      ["credits.allowance-set", "allowance: not set → 100 credits each month; reason: For the lab"],
    ]);
    await expectBooksInOrder(t);
  });

  it("that tops up gives what was used, and does not count earned credits", async () => {
    await earn(3);
    if (owner() === teamId) {
      const gift = { moveId: moveId(), micro: answerMicro, to: teamId, note: "Thanks" };
      await t.mutation(own.give, { session: ada.session, ...gift });
    }
    await set({ every: "day", kind: "top-up", micro: credits(10) });
    await renewAt(t, "2027-01-16T00:00");
    expect(await granted(owner())).toBe(credits(10));
    await toKey(owner(), credits(4), await keyOf(owner()));
    await give(owner(), credits(1));
    await renewAt(t, "2027-01-17T00:00");
    expect(await granted(owner())).toBe(credits(10));
    expect((await actions())[0]![2]).toBe("3 given: Allowance for 2027-01-17: For the lab");
    await expectBooksInOrder(t);
  });

  it("that was ended gives no more", async () => {
    await set();
    await t.mutation(allowances.end, { session, holder: owner() });
    expect((await grantOf(owner())).allowance).toBeNull();
    await renewAt(t, "2027-02-01T00:00");
    expect(await granted(owner())).toBe(0n);
  });

  it("that is due when it is changed is given first", async () => {
    await set();
    await waitUntil(t, "2027-02-01T00:10");
    await set({ micro: credits(1) });
    expect(await granted(owner())).toBe(credits(100));
  });
});

describe("given credits", () => {
  it("go to a key before earned ones", async () => {
    await earn(2);
    await give(ada.memberId, answerMicro);
    expect(await mine()).toMatchObject({ availableMicro: 3n * answerMicro, grantedMicro: answerMicro });
    const keyId = await keyOf(ada.memberId);
    await expectRefusal(toKey(ada.memberId, 3n * answerMicro + 1n, keyId), "conflict");
    await expectRefusal(toKey(ada.memberId, 0n, keyId), "invalid");
    await toKey(ada.memberId, 2n * answerMicro, keyId);
    expect(await mine()).toMatchObject({ availableMicro: answerMicro, grantedMicro: 0n });
    await toKey(ada.memberId, answerMicro, keyId);
    const now = Date.now();
    const { moves: lines } = await t.query(api.console.money.keyStatements.get, {
      session,
      keyId,
      at: now,
      now,
    });
    expect(lines.map(({ source }) => source?.kind)).toEqual(
      expect.arrayContaining(["given-and-earned", "earned"]),
    );
    await expectBooksInOrder(t);
  });

  it("are neither given away nor paid out, nor taken with the earned ones", async () => {
    const payout = { currency: "EUR", perCreditMicro: 1_000_000_000_000n };
    await t.mutation(api.console.money.houseRules.set, {
      session,
      expireMonths: null,
      bonus: null,
      payout,
    });
    await earn(1);
    await give(ada.memberId, credits(9));
    const by = { session: ada.session };
    const gift = { to: teamId, note: "Thanks" };
    await expectRefusal(
      t.mutation(own.give, { ...by, ...gift, moveId: moveId(), micro: answerMicro + 1n }),
      "conflict",
    );
    await expectRefusal(
      t.mutation(own.askPayout, { ...by, moveId: moveId(), micro: answerMicro + 1n, note: null }),
      "conflict",
    );
    await expectRefusal(give(ada.memberId, -credits(9) - 1n), "conflict");
    await t.mutation(own.askPayout, { ...by, moveId: moveId(), micro: answerMicro, note: null });
    expect(await mine()).toMatchObject({ availableMicro: credits(9), grantedMicro: credits(9) });
    await expectBooksInOrder(t);
  });

  it("keep their team until they are used or taken back", async () => {
    await give(teamId, credits(2));
    const remove = async () => await t.mutation(api.console.people.removeTeam, { session, teamId });
    await expectRefusal(remove(), "conflict");
    await give(teamId, -credits(2), "The team ends");
    await remove();
    await expectRefusal(give(teamId, 1n), "invalid");
  });

  it("and the allowance of a team end with it", async () => {
    const terms = { ...monthly, reason: "For the lab" };
    await t.mutation(allowances.set, { session, holder: teamId, ...terms });
    await t.mutation(api.console.people.removeTeam, { session, teamId });
    await renewAt(t, "2027-02-01T00:00");
    expect(await grantOf(teamId)).toEqual({ grantedMicro: 0n, allowance: null });
    await expectRefusal(t.mutation(allowances.set, { session, holder: teamId, ...terms }), "invalid");
  });

  it("of a member who leaves are taken back as far as they are not used, and the allowance ends", async () => {
    const terms = { ...monthly, reason: "For the lab" };
    await earn(1);
    await give(ada.memberId, credits(5));
    const keyId = await keyOf(ada.memberId);
    const before = await balanceOf(keyId);
    await toKey(ada.memberId, credits(3), keyId);
    await t.mutation(allowances.set, { session, holder: ada.memberId, ...terms });
    await t.mutation(api.console.people.remove, { session, memberId: ada.memberId, things: teamId });
    await renewAt(t, "2027-02-01T00:00");
    expect(await grantOf(ada.memberId)).toEqual({ grantedMicro: 0n, allowance: null });
    expect(await balanceOf(keyId)).toBe(before + credits(3));
    expect(await t.run(async (ctx) => (await creditsOf(ctx, ada.memberId))[0]?.micro)).toBe(answerMicro);
    const moved = await t.run(async (ctx) => await movesSince(ctx, ada.memberId, 0, 1));
    const owner = await t.run(async (ctx) => (await ctx.db.query("members").first())!._id);
    const note = "Removed from the organization";
    expect(moved).toMatchObject([{ kind: "taken-back", micro: -credits(2), other: owner, note }]);
    expect(await actions()).toContainEqual(["credits.changed", ada.memberId, `2 taken: ${note}`]);
    await expectRefusal(give(ada.memberId, 1n), "invalid");
    await expectBooksInOrder(t);
  });

  it("of which a member who leaves has none are not noted", async () => {
    await t.mutation(api.console.people.remove, { session, memberId: ada.memberId });
    expect(await actions()).toEqual([]);
  });

  it("of somebody whom a restore removed get no allowance", async () => {
    const terms = { ...monthly, reason: "For the lab" };
    await t.mutation(allowances.set, { session, holder: ada.memberId, ...terms });
    await t.run(async (ctx) => await ctx.db.patch("members", ada.memberId, { removedAt: Date.now() }));
    await renewAt(t, "2027-02-01T00:00");
    expect(await granted(ada.memberId)).toBe(0n);
    const row = await t.run(async (ctx) => await ctx.db.get("members", ada.memberId));
    expect(row?.allowance).toBeUndefined();
  });

  it("are shown to those to whom they belong, and to nobody else without the right", async () => {
    await give(teamId, credits(2));
    expect((await grantOf(teamId, ada.session)).grantedMicro).toBe(credits(2));
    const bo = await joinAs(t, session, { name: "Bo", roles: ["donor"] });
    await expectRefusal(grantOf(teamId, bo.session), "not_found");
    await expectRefusal(grantOf(ada.memberId, bo.session), "not_found");
  });

  it("of teams are read at once, of all or of one's own", async () => {
    const other = await t.mutation(api.console.people.createTeam, { session, name: "Former" });
    const third = await t.mutation(api.console.people.createTeam, { session, name: "Others" });
    await t.mutation(api.console.people.removeTeam, { session, teamId: other.teamId });
    await give(teamId, credits(2));
    await t.mutation(allowances.set, { session, holder: teamId, ...monthly, reason: "For the lab" });
    const ofTeams = async (by: string) => await t.query(grants.ofTeams, { session: by });
    const lab = { teamId, ...(await grantOf(teamId)) };
    expect(lab).toMatchObject({ grantedMicro: credits(2), allowance: monthly });
    const none = { teamId: third.teamId, grantedMicro: 0n, allowance: null };
    expect(await ofTeams(session)).toEqual([lab, none]);
    expect(await ofTeams(ada.session)).toEqual([lab]);
    expect(await ofTeams(await signIn(t, await addOrganization(t, { name: "Rival" })))).toEqual([]);
  });
});

it("gives due allowances of all holders in one run, also of more than a page", async () => {
  const { keyId } = (await listKeys(t, session))[0]!;
  const before = await balanceOf(keyId);
  const daily = { every: "day", kind: "add", micro: credits(5), reason: "Usual" } as const;
  for (const holder of [keyId, ada.memberId, teamId])
    await t.mutation(allowances.set, { session, holder, ...daily });
  const others = await t.run(async (ctx) => {
    const { allowance } = (await ctx.db.get("teams", teamId))!;
    const made: Id<"teams">[] = [];
    for (let at = 0; at < 110; at += 1) {
      const team = { organizationId: acme.organizationId, name: `Team ${String(at)}`, createdAt: at };
      made.push(await ctx.db.insert("teams", { ...team, allowance: allowance! }));
    }
    return made;
  });
  await renewAt(t, "2027-01-16T00:00");
  expect(await balanceOf(keyId)).toBe(before + credits(5));
  await renewAt(t, "2027-01-16T01:00");
  for (const owner of [ada.memberId, teamId, ...others]) expect(await granted(owner)).toBe(credits(5));
  await expectBooksInOrder(t);
});
