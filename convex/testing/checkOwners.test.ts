import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { api } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { hashSecret } from "../model/authenticate.ts";
import { balanceOf } from "../model/ledger/balance.ts";
import { deviceAccount, heldAccount } from "../model/ledger/transfer.ts";
import type { Owner } from "../model/owners.ts";
import { queue } from "../model/queue.ts";
import { present } from "../model/refuse.ts";
import {
  type Backend,
  type Device,
  expectBooksInOrder,
  expectRefusal,
  type Organization,
  pass,
  secret,
  tryClaim,
} from "./backend.fixture.ts";
import {
  addChecker,
  answerJob,
  casesOf,
  check,
  choose,
  chooseMode,
  fitting,
  noise,
  replaysOf,
  report,
  standingOf,
  takeReplay,
} from "./checks.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;
let ann: Id<"members">;
/** Ann's session. */
let anns: string;
let bob: Id<"members">;
let cleo: Id<"members">;
let author: Device;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  const join = async (name: string) => await joinAs(t, session, { name, roles: ["donor"] });
  ({ memberId: ann, session: anns } = await join("Ann"));
  [bob, cleo] = [(await join("Bob")).memberId, (await join("Cleo")).memberId];
  author = await deviceOf(ann, "author");
  await chooseMode(t, acme, "act");
});

afterEach(async () => {
  await expectBooksInOrder(t);
  closeWorld();
});

/** Hands a device over. @param by the session of somebody; absent: an administrator does it. */
const give = async ({ deviceId }: Device, owner: Owner, by = session) =>
  await t.mutation(api.console.devices.setOwner, { session: by, deviceId, owner });

/** A device that can replay answers, and belongs to somebody. */
async function deviceOf(owner: Owner, name: string): Promise<Device> {
  const device = await addChecker(t, acme, name);
  await give(device, owner);
  return device;
}

/** Devices of somebody that have never reported anything. */
async function addOffline(owner: Owner, count: number): Promise<void> {
  const { organizationId } = acme;
  await t.run(async (ctx) => {
    for (let each = 0; each < count; each += 1) {
      const keyHash = await hashSecret(secret("gd_"));
      const times = { enrolledAt: each, lastChangeAt: each };
      const device = { organizationId, workerId: "", keyHash, name: "offline", platform: "linux-x64", owner };
      const deviceId = await ctx.db.insert("devices", {
        ...device,
        status: "active",
        activity: null,
        ...times,
      });
      const worker = { keyHash, externalId: deviceId, name: "offline" };
      await ctx.db.patch("devices", deviceId, {
        workerId: await queue.workers.register(ctx, organizationId, worker),
      });
    }
  });
}

const earned = async ({ deviceId }: Device): Promise<bigint> =>
  (await t.run(async (ctx) => await balanceOf(ctx, deviceAccount(deviceId)))).micro;

/** Whether the device has earned nothing that can be spent, because its pay waits for checks. */
const waits = async (device: Device): Promise<boolean> => {
  const held = await t.run(async (ctx) => await balanceOf(ctx, heldAccount(device.deviceId)));
  return (await earned(device)) === 0n && held.micro > 0n;
};

/** The words about the pay of the device's last job. */
const explanationOf = async ({ deviceId }: Device): Promise<string | undefined> => {
  const paginationOpts = { numItems: 1, cursor: null };
  const { page } = await t.query(api.console.devices.attempts, { session, deviceId, paginationOpts });
  return page[0]?.explanation;
};

/** The replay that waits. */
const waiting = async () =>
  present((await replaysOf(t)).find(({ state }) => state === "waiting") ?? null, "replay");

const office = async (...members: readonly Id<"members">[]) => await team("Office", ...members);

const team = async (name: string, ...members: readonly Id<"members">[]): Promise<Id<"teams">> => {
  const { teamId } = await t.mutation(api.console.people.createTeam, { session, name });
  for (const memberId of members)
    await t.mutation(api.console.people.setTeams, { session, memberId, teamIds: [teamId] });
  return teamId;
};

describe("an answer is checked", () => {
  it("by no device of its owner", async () => {
    const second = await deviceOf(ann, "second");
    const other = await deviceOf(bob, "other");
    await answerJob(t, acme, author);
    await choose(t);
    expect(await takeReplay(t, second)).toBeNull();
    expect(await tryClaim(t, second, (await waiting()).jobId)).toEqual({ kind: "unable" });
    await check(t, other, fitting);
    expect((await standingOf(t, author))?.standing.counts).toMatchObject({ fits: 1 });
  });

  it("by no device of a team of its owner, nor of a member of the team that answered", async () => {
    const ofTeam = await deviceOf(await office(ann), "of the team");
    const other = await deviceOf(bob, "other");
    await answerJob(t, acme, author);
    await choose(t);
    expect(await takeReplay(t, ofTeam)).toBeNull();
    await check(t, other, fitting);
    await answerJob(t, acme, ofTeam);
    await choose(t);
    expect(await takeReplay(t, author)).toBeNull();
    await check(t, other, fitting);
    expect((await standingOf(t, ofTeam))?.standing.counts).toMatchObject({ fits: 1 });
  });

  it("by a device of another member of the same team", async () => {
    await office(ann, bob);
    const other = await deviceOf(bob, "other");
    await answerJob(t, acme, author);
    await choose(t);
    expect(await takeReplay(t, other)).not.toBeNull();
  });

  it("by no device that its owner handed over, until an administrator has decided whose it is", async () => {
    const given = await deviceOf(ann, "given");
    await give(given, bob, anns);
    await answerJob(t, acme, author);
    await choose(t);
    expect(await replaysOf(t)).toEqual([]);
    expect(await waits(author)).toBe(true);
    await give(given, cleo);
    await answerJob(t, acme, author);
    await choose(t);
    await check(t, given, fitting);
    expect((await standingOf(t, author))?.standing.counts).toMatchObject({ fits: 1 });
  });

  it("by no device that its owner handed over if another one waits, too", async () => {
    const given = await deviceOf(ann, "given");
    const other = await deviceOf(cleo, "other");
    await give(given, bob, anns);
    await answerJob(t, acme, author);
    await choose(t);
    expect(await takeReplay(t, given)).toBeNull();
    await check(t, other, fitting);
  });

  it("by no device of a team that shares a member with the team that answered", async () => {
    const [a, b] = [await team("A", ann), await team("B", cleo)];
    const [ofTeam] = [await deviceOf(a, "of A"), await deviceOf(b, "of B")];
    await t.mutation(api.console.people.setTeams, { session, memberId: bob, teamIds: [a, b] });
    await t.mutation(api.console.devices.retire, { session, deviceId: author.deviceId });
    await answerJob(t, acme, ofTeam);
    await choose(t);
    expect(await replaysOf(t)).toEqual([]);
  });

  it("by no device of an owner with more devices than are kept from a replay", async () => {
    await addOffline(ann, 200);
    const last = await deviceOf(ann, "last");
    await answerJob(t, acme, author);
    await choose(t);
    expect(await replaysOf(t)).toEqual([]);
    expect(await waits(author)).toBe(true);
    await deviceOf(bob, "other");
    await answerJob(t, acme, author);
    await choose(t);
    expect(await takeReplay(t, last)).toBeNull();
  });

  it("by nobody if all devices have one owner, and its pay waits", async () => {
    await deviceOf(ann, "second");
    await answerJob(t, acme, author);
    await choose(t);
    expect(await replaysOf(t)).toEqual([]);
    expect(await waits(author)).toBe(true);
  });
});

describe("a doubt is decided", () => {
  it("by no second device of the owner who doubts, or who answered", async () => {
    const [doubter, second] = [await deviceOf(bob, "doubter"), await deviceOf(bob, "second")];
    const ofAuthor = await deviceOf(ann, "of the author");
    const third = await deviceOf(cleo, "third");
    await answerJob(t, acme, author);
    await choose(t);
    const first = await takeReplay(t, doubter);
    await report(t, doubter, present(first, "replay").attemptId, noise);
    await pass(t, 10);
    expect(await takeReplay(t, second)).toBeNull();
    expect(await takeReplay(t, ofAuthor)).toBeNull();
    await check(t, third, noise);
    expect(await casesOf(t)).toMatchObject([{ state: "wrong", voices: [{ owner: bob }, { owner: cleo }] }]);
  });

  it("by nobody if there are devices of two owners, so that nobody loses anything", async () => {
    const doubter = await deviceOf(bob, "doubter");
    await deviceOf(bob, "second");
    await answerJob(t, acme, author);
    await choose(t);
    await check(t, doubter, noise);
    expect(await casesOf(t)).toMatchObject([{ state: "undecided" }]);
    expect(await waits(author)).toBe(true);
  });

  it("by devices of the organization, which have a voice each", async () => {
    const [one, two] = [await addChecker(t, acme, "one"), await addChecker(t, acme, "two")];
    await answerJob(t, acme, author);
    await choose(t);
    await check(t, one, noise);
    await check(t, two, noise);
    expect(await casesOf(t)).toMatchObject([{ state: "wrong" }]);
  });
});

it("a voice of an earlier version, which has no owner, is of the device's owner of now", async () => {
  const [doubter, second] = [await deviceOf(bob, "doubter"), await deviceOf(bob, "second")];
  const third = await deviceOf(cleo, "third");
  await answerJob(t, acme, author);
  await choose(t);
  await check(t, doubter, noise);
  await t.run(async (ctx) => {
    const { _id, voices } = present(await ctx.db.query("trustCases").unique(), "case");
    const older = voices.map(({ owner: _owner, ...voice }) => voice);
    await ctx.db.patch("trustCases", _id, { voices: older });
  });
  const { attemptId } = present(await takeReplay(t, third), "replay");
  await give(third, ann);
  await report(t, third, attemptId, noise);
  await pass(t, 10);
  expect(await takeReplay(t, second)).toBeNull();
  expect(await casesOf(t)).toMatchObject([{ state: "undecided" }]);
});

describe("if a device changes hands while it checks", () => {
  it("its word about an answer of its new owner is not heard, and another device is asked", async () => {
    const moved = await deviceOf(bob, "moved");
    const other = await deviceOf(cleo, "other");
    await answerJob(t, acme, author);
    await choose(t);
    const { attemptId } = present(await takeReplay(t, moved), "replay");
    await give(moved, ann);
    expect(await report(t, moved, attemptId, fitting)).toMatchObject({ kind: "completed" });
    expect((await standingOf(t, author))?.standing.counts).not.toHaveProperty("fits");
    expect(await earned(moved)).toBe(0n);
    expect(await explanationOf(moved)).toBe(
      "Not paid, because another device of the same people has answered or checked this already",
    );
    expect(await replaysOf(t)).toMatchObject([{ state: "undone" }, { state: "waiting" }]);
    await check(t, other, fitting);
    expect((await standingOf(t, author))?.standing.counts).toMatchObject({ fits: 1 });
  });

  it("no more than three devices are asked in vain, although others could check", async () => {
    const moved = [];
    for (const name of ["one", "two", "three"]) moved.push(await deviceOf(bob, name));
    await deviceOf(cleo, "other");
    await answerJob(t, acme, author);
    await choose(t);
    for (const device of moved) {
      const { attemptId } = present(await takeReplay(t, device), "replay");
      await give(device, ann);
      await report(t, device, attemptId, noise);
      await pass(t, 10);
    }
    expect((await replaysOf(t)).map(({ state }) => state)).toEqual(["undone", "undone", "undone"]);
    expect(await waits(author)).toBe(true);
  });

  it("a case ends as well after three reports that are not heard", async () => {
    const moved = [];
    const doubter = await deviceOf(bob, "doubter");
    for (const name of ["one", "two", "three"]) moved.push(await deviceOf(cleo, name));
    await addChecker(t, acme, "other");
    await answerJob(t, acme, author);
    await choose(t);
    await check(t, doubter, noise);
    for (const device of moved) {
      const { attemptId } = present(await takeReplay(t, device), "replay");
      await give(device, ann);
      await report(t, device, attemptId, noise);
      await pass(t, 10);
    }
    expect(await casesOf(t)).toMatchObject([{ state: "undecided", voices: [{ owner: bob }] }]);
  });

  it("the pay of the answer waits if nobody else can check it, and its donor is told so", async () => {
    const moved = await deviceOf(bob, "moved");
    await answerJob(t, acme, author);
    await choose(t);
    const { attemptId } = present(await takeReplay(t, moved), "replay");
    await give(moved, ann);
    await report(t, moved, attemptId, noise);
    expect(await casesOf(t)).toEqual([]);
    expect(await waits(author)).toBe(true);
    const { checks } = await t.query(api.devices.earnings, { key: author.key, since: 0 });
    expect(checks).toMatchObject({ unchecked: true });
  });

  it("its word in a case is not heard, also not for the owner that the answering device had then", async () => {
    const [doubter, moved] = [await deviceOf(bob, "doubter"), await deviceOf(cleo, "moved")];
    const last = await addChecker(t, acme, "last");
    await answerJob(t, acme, author);
    await choose(t);
    await check(t, doubter, noise);
    const { attemptId } = present(await takeReplay(t, moved), "replay");
    await give(author, cleo);
    await give(moved, ann);
    await report(t, moved, attemptId, fitting);
    await pass(t, 10);
    expect(await casesOf(t)).toMatchObject([{ state: "open", voices: [{ verdict: "mismatch" }] }]);
    await check(t, last, noise);
    expect(await casesOf(t)).toMatchObject([{ state: "wrong" }]);
  });
});

it("the console knows whether the devices in service have enough sides for checks", async () => {
  const sides = async () => await t.query(api.console.fleet.checks.sides, { session });
  await deviceOf(ann, "second");
  expect(await sides()).toBe(1);
  await addChecker(t, acme, "of the organization");
  expect(await sides()).toBe(2);
  const third = await deviceOf(bob, "third");
  expect(await sides()).toBe(3);
  await t.mutation(api.console.devices.retire, { session, deviceId: third.deviceId });
  expect(await sides()).toBe(2);
});

it("the console does not say that sides are missing if there are more devices than it reads", async () => {
  const sides = async () => await t.query(api.console.fleet.checks.sides, { session });
  await addOffline(ann, 299);
  expect(await sides()).toBe(1);
  await addOffline(ann, 1);
  expect(await sides()).toBeNull();
});

describe("held pay that a person releases", () => {
  const release = async (by: string) =>
    await t.mutation(api.console.fleet.checks.releasePay, {
      session: by,
      deviceId: author.deviceId,
      reason: "Known",
    });
  const isForOthers = async (by: string) => {
    const { deviceId } = author;
    const found = await t.query(api.console.fleet.checks.standings, {
      session: by,
      deviceId,
      now: Date.now(),
    });
    return found.isForOthers;
  };
  const joinAdmin = async () => await joinAs(t, session, { name: "Dora", roles: ["admin"] });

  it("is not released by the owner of its device if another member may", async () => {
    const dora = await joinAdmin();
    await give(author, dora.memberId);
    await answerJob(t, acme, author);
    expect([await isForOthers(dora.session), await isForOthers(session)]).toEqual([true, false]);
    await expectRefusal(release(dora.session), "forbidden");
    expect(await waits(author)).toBe(true);
    await release(session);
    expect(await earned(author)).toBeGreaterThan(0n);
  });

  it("is neither released by a member of the team whose device it is, nor by a giver", async () => {
    const dora = await joinAdmin();
    await give(author, await office(dora.memberId));
    await answerJob(t, acme, author);
    await expectRefusal(release(dora.session), "forbidden");
    await t.run(async (ctx) => {
      await ctx.db.patch("devices", author.deviceId, { owner: bob, givers: [dora.memberId] });
    });
    await expectRefusal(release(dora.session), "forbidden");
  });

  it("is not released by the member that it belongs to, also after the device was given away", async () => {
    const dora = await joinAdmin();
    await give(author, dora.memberId);
    await answerJob(t, acme, author);
    await t.run(async (ctx) => {
      await ctx.db.patch("devices", author.deviceId, { owner: bob, givers: undefined });
    });
    expect(await isForOthers(dora.session)).toBe(true);
    await expectRefusal(release(dora.session), "forbidden");
    await release(session);
  });

  it("is released by the owner of its device if nobody else may", async () => {
    const members = await t.run(async (ctx) => await ctx.db.query("members").collect());
    const { _id } = present(members.find(({ roles }) => roles.includes("owner")) ?? null, "owner");
    await give(author, _id);
    await answerJob(t, acme, author);
    expect(await isForOthers(session)).toBe(false);
    await release(session);
    expect(await earned(author)).toBeGreaterThan(0n);
  });
});
