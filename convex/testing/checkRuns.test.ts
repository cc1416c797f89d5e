import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { internal } from "../_generated/api.js";
import { queue } from "../model/queue.ts";
import * as spendings from "../model/trust/spending.ts";
import { chooseLeft } from "../model/trust/sweep.ts";
import {
  addOrganization,
  type Backend,
  type Device,
  modelId,
  type Organization,
  pass,
} from "./backend.fixture.ts";
import {
  addChecker,
  answerJob,
  check,
  choose,
  chooseMode,
  endProbation,
  fitting,
  standingOf,
} from "./checks.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

vi.mock("../model/trust/spending.ts", { spy: true });

let t: Backend;
let acme: Organization;
let author: Device;
let checker: Device;

beforeEach(async () => {
  ({ t, acme } = await openWorld());
  author = await addChecker(t, acme, "author");
  checker = await addChecker(t, acme, "checker");
  await chooseMode(t, acme, "watch");
});

afterEach(() => {
  closeWorld();
  vi.restoreAllMocks();
});

/** Leaves so many answers in a batch whose checks are not chosen yet. */
async function leaveBatch(jobs: number): Promise<void> {
  const { organizationId } = acme;
  const ended: { jobId: string; round: null }[] = [];
  for (let each = 0; each < jobs; each += 1)
    ended.push({ jobId: await answerJob(t, acme, author), round: null });
  await t.run(async (ctx) => await ctx.db.insert("checkBatches", { organizationId, jobs: ended }));
}

const begin = async (): Promise<unknown> =>
  await t.mutation(internal.trust.checks.choose, { organizationId: acme.organizationId });
const left = async (): Promise<readonly number[]> =>
  (await t.run(async ({ db }) => await db.query("checkBatches").collect())).map(({ jobs }) => jobs.length);
const spending = async () => await t.run(async ({ db }) => await db.query("checkSpending").unique());
it("one run goes through all batches of an organization, in steps, and another call begins none beside it", async () => {
  await leaveBatch(12);
  await leaveBatch(3);
  await begin();
  const step = (await spending())?.choosing;
  await begin();
  expect((await spending())?.choosing).toBe(step);
  // Two replays end a step.
  await pass(t, 10);
  expect(await left()).toEqual([10, 3]);
  await pass(t, 10);
  expect(await left()).toEqual([8, 3]);
  await begin();
  // Four wait now, so no other answer is replayed.
  await pass(t, 10);
  expect(await left()).toEqual([3]);
  for (let more = 0; more < 2; more += 1) await pass(t, 10);
  expect(await left()).toEqual([]);
  expect((await spending())?.answers).toBeCloseTo(15, 3);
  expect((await spending())?.choosing).toBeUndefined();

  await leaveBatch(1);
  await begin();
  await pass(t, 10);
  expect(await left()).toEqual([]);
});

describe("a job by which each step fails", () => {
  /** Has no history of the jobs read if this one is among them. @returns the jobs of each step. */
  async function failFor(place: number): Promise<readonly (readonly string[])[]> {
    const batch = await t.run(async ({ db }) => await db.query("checkBatches").first());
    const poison = batch?.jobs[place]?.jobId ?? "";
    const steps: (readonly string[])[] = [];
    const { histories } = queue;
    vi.spyOn(console, "error").mockReturnValue();
    vi.spyOn(queue, "histories").mockImplementation(async (ctx, scope, jobIds) => {
      steps.push(jobIds);
      if (jobIds.includes(poison)) throw new Error("no history");
      return await histories.call(queue, ctx, scope, jobIds);
    });
    return steps;
  }

  it("is left out, and checks are chosen for all others, in the same run", async () => {
    await leaveBatch(12);
    const steps = await failFor(3);
    await begin();
    for (let step = 0; step < 20; step += 1) await pass(t, 10);
    expect(steps.map(({ length }) => length)).toEqual([12, ...Array<number>(12).fill(1)]);
    expect(await left()).toEqual([]);
    expect((await spending())?.answers).toBeCloseTo(11, 3);
    expect((await spending())?.choosing).toBeUndefined();
  });

  it("does not have later jobs taken one by one for good", async () => {
    await leaveBatch(1);
    await leaveBatch(30);
    await leaveBatch(3);
    const steps = await failFor(0);
    await begin();
    for (let step = 0; step < 40; step += 1) await pass(t, 10);
    expect(steps.slice(0, 2).map(({ length }) => length)).toEqual([1, 1]);
    expect(steps.slice(-2).map(({ length }) => length)).toEqual([6, 3]);
    expect((await spending())?.answers).toBeCloseTo(33, 3);
  });
});

describe("a run whose step fails as a whole, as one that takes too long", () => {
  /** Has the next steps end by an error outside of what they undo. */
  function failSteps(count: number): void {
    vi.spyOn(console, "error").mockReturnValue();
    const read = vi.spyOn(spendings, "noteStep");
    for (let each = 0; each < count; each += 1) read.mockRejectedValueOnce(new Error("too long"));
  }

  it("is followed by one that takes the same jobs one by one, and leaves out one that fails alone", async () => {
    await leaveBatch(12);
    await begin();
    failSteps(1);
    await pass(t, 10);
    expect(await left()).toEqual([12]);
    await t.mutation(internal.trust.checks.sweep, {});
    await pass(t, 10);
    expect(await left()).toEqual([12]);
    failSteps(1);
    await pass(t, 10);
    expect(await left()).toEqual([12]);
    await begin();
    expect(await left()).toEqual([11]);
    for (let step = 0; step < 20; step += 1) await pass(t, 10);
    expect(await left()).toEqual([]);
    expect((await spending())?.answers).toBeCloseTo(11, 3);
  });
});

it("a run whose step is gone, as in a backup, begins again with the same jobs", async () => {
  await leaveBatch(1);
  await begin();
  await t.run(async ({ db }) => {
    const row = await db.query("checkSpending").unique();
    await db.delete("_scheduled_functions" as never, row!.choosing as never);
  });
  await begin();
  await pass(t, 10);
  expect(await left()).toEqual([]);
  expect((await spending())?.answers).toBeCloseTo(1, 3);
});

it("checks change the standing of a device, but hardly ever the row that the ends of jobs read", async () => {
  const probations = async () => await t.run(async ({ db }) => await db.query("probations").collect());
  await endProbation(t, acme, author, checker);
  const before = await probations();
  expect(before.map(({ from }) => from > Date.now())).toEqual([true]);
  await answerJob(t, acme, author);
  await choose(t);
  await check(t, checker, fitting);
  expect((await standingOf(t, author))?.standing.counts.fits).toBe(6);
  expect(await probations()).toEqual(before);
});

describe("the sweep begins runs for jobs that were left", () => {
  const sweep = async () => await t.mutation(internal.trust.checks.sweep, {});
  /** The organizations for which a run is begun, one for each call. */
  const begun = async (): Promise<readonly unknown[]> => {
    const calls = await t.run(async ({ db }) => await db.system.query("_scheduled_functions").collect());
    return calls.flatMap(({ name, args }) => {
      const [call] = args as [{ readonly organizationId?: unknown; readonly goesOn?: true }];
      return name === "trust/checks:choose" && call.goesOn === undefined ? [call.organizationId] : [];
    });
  };

  it("once, though it has many pages", async () => {
    await leaveBatch(1);
    const { organizationId } = acme;
    await t.run(async (ctx) => {
      const canary = { organizationId, modelId, deviceIds: [], jobIds: [], state: "fits" as const };
      for (let each = 0; each < 120; each += 1) await ctx.db.insert("canaries", canary);
    });
    vi.setSystemTime(Date.now() + 91 * 24 * 3_600_000);
    await sweep();
    for (let page = 0; page < 4; page += 1) await pass(t, 10);
    expect(await t.run(async ({ db }) => await db.query("canaries").collect())).toEqual([]);
    expect(await begun()).toEqual([organizationId]);
    expect(await left()).toEqual([]);
  });

  it("of each organization once, in several pages if there are many", async () => {
    const { organizationId: other } = await addOrganization(t, { name: "other" });
    const organizations = [acme.organizationId, other];
    await t.run(async (ctx) => {
      for (const organizationId of organizations)
        await ctx.db.insert("checkBatches", { organizationId, jobs: [] });
      const first = await chooseLeft(ctx, null, 1);
      expect(organizations).toContain(first);
      const second = await chooseLeft(ctx, first, 1);
      expect([first, second].toSorted()).toEqual(organizations.toSorted());
      expect(await chooseLeft(ctx, second, 1)).toBeNull();
    });
    expect((await begun()).toSorted()).toEqual(organizations.toSorted());
  });

  it("behind an organization in a further page, and of none in other ones", async () => {
    await leaveBatch(1);
    const { organizationId } = acme;
    const { organizationId: other } = await addOrganization(t, { name: "other" });
    await t.run(async (ctx) => await ctx.db.insert("checkBatches", { organizationId: other, jobs: [] }));
    const [first, last] = [organizationId, other].toSorted();
    await t.mutation(internal.trust.checks.sweep, { goesOn: true });
    expect(await begun()).toEqual([]);
    await t.mutation(internal.trust.checks.sweep, { goesOn: true, after: first! });
    expect(await begun()).toEqual([last]);
  });

  it("of each organization, however many another one has left", async () => {
    const { organizationId: other } = await addOrganization(t, { name: "other" });
    const organizations = [acme.organizationId, other];
    await t.run(async (ctx) => {
      for (const organizationId of organizations)
        for (let each = 0; each < 60; each += 1)
          await ctx.db.insert("checkBatches", { organizationId, jobs: [] });
    });
    await sweep();
    expect((await begun()).toSorted()).toEqual(organizations.toSorted());
  });
});
