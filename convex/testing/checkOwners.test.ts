import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { api } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { balanceOf } from "../model/ledger/balance.ts";
import { deviceAccount } from "../model/ledger/transfer.ts";
import type { Owner } from "../model/owners.ts";
import { present } from "../model/refuse.ts";
import {
  type Backend,
  type Device,
  expectBooksInOrder,
  type Organization,
  pass,
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
let bob: Id<"members">;
let cleo: Id<"members">;
let author: Device;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  const join = async (name: string) => (await joinAs(t, session, { name, roles: ["donor"] })).memberId;
  [ann, bob, cleo] = [await join("Ann"), await join("Bob"), await join("Cleo")];
  author = await deviceOf(ann, "author");
  await chooseMode(t, acme, "act");
});

afterEach(async () => {
  await expectBooksInOrder(t);
  closeWorld();
});

const give = async ({ deviceId }: Device, owner: Owner) =>
  await t.mutation(api.console.devices.setOwner, { session, deviceId, owner });

/** A device that can replay answers, and belongs to somebody. */
async function deviceOf(owner: Owner, name: string): Promise<Device> {
  const device = await addChecker(t, acme, name);
  await give(device, owner);
  return device;
}

const earned = async ({ deviceId }: Device): Promise<bigint> =>
  (await t.run(async (ctx) => await balanceOf(ctx, deviceAccount(deviceId)))).micro;

/** The replay that waits. */
const waiting = async () =>
  present((await replaysOf(t)).find(({ state }) => state === "waiting") ?? null, "replay");

const office = async (...members: readonly Id<"members">[]): Promise<Id<"teams">> => {
  const { teamId } = await t.mutation(api.console.people.createTeam, { session, name: "Office" });
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
    const team = await office(ann);
    const ofTeam = await deviceOf(team, "of the team");
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

  it("by nobody if all devices have one owner, and is paid at once", async () => {
    await deviceOf(ann, "second");
    await answerJob(t, acme, author);
    expect(await earned(author)).toBe(0n);
    await choose(t);
    expect(await replaysOf(t)).toEqual([]);
    expect(await earned(author)).toBeGreaterThan(0n);
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
    expect(await earned(author)).toBeGreaterThan(0n);
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
    expect(await replaysOf(t)).toMatchObject([{ state: "undone" }, { state: "waiting" }]);
    await check(t, other, fitting);
    expect((await standingOf(t, author))?.standing.counts).toMatchObject({ fits: 1 });
  });

  it("the answer is paid if nobody else can check it", async () => {
    const moved = await deviceOf(bob, "moved");
    await answerJob(t, acme, author);
    await choose(t);
    const { attemptId } = present(await takeReplay(t, moved), "replay");
    await give(moved, ann);
    await report(t, moved, attemptId, noise);
    expect(await casesOf(t)).toEqual([]);
    expect(await earned(author)).toBeGreaterThan(0n);
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
