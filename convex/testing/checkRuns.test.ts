import { afterEach, beforeEach, expect, it } from "vitest";
import { internal } from "../_generated/api.js";
import { type Backend, type Device, type Organization, pass } from "./backend.fixture.ts";
import { addChecker, answerJob, chooseMode, replaysOf } from "./checks.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let author: Device;

beforeEach(async () => {
  ({ t, acme } = await openWorld());
  author = await addChecker(t, acme, "author");
  await addChecker(t, acme, "checker");
  await chooseMode(t, acme, "watch");
});

afterEach(closeWorld);

const minute = 60_000;

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
const setStep = async (choosingAt: number): Promise<void> =>
  await t.run(async ({ db }) => {
    const row = await db.query("checkSpending").unique();
    await db.patch("checkSpending", row!._id, { choosingAt });
  });

it("one run goes through all batches of an organization, in steps, and another call begins none beside it", async () => {
  await leaveBatch(12);
  await leaveBatch(3);
  await begin();
  expect(await left()).toEqual([2, 3]);
  await begin();
  expect(await left()).toEqual([2, 3]);
  for (let step = 0; step < 3; step += 1) await pass(t, 10);
  expect(await left()).toEqual([]);
  expect((await spending())?.answers).toBeCloseTo(15, 3);
  expect((await spending())?.choosingAt).toBeUndefined();

  await leaveBatch(1);
  await begin();
  expect(await left()).toEqual([]);
});

it("a run that an error ended is followed by another one, which leaves the next jobs out", async () => {
  await leaveBatch(1);
  await begin();
  await pass(t, 10);
  const before = (await replaysOf(t)).length;
  await leaveBatch(12);
  await setStep(Date.now() - 9 * minute);
  await begin();
  expect(await left()).toEqual([12]);
  await setStep(Date.now() - 11 * minute);
  await begin();
  expect(await left()).toEqual([2]);
  expect(await replaysOf(t)).toHaveLength(before);
  await pass(t, 10);
  await pass(t, 10);
  expect(await left()).toEqual([]);
  expect(await replaysOf(t)).toHaveLength(before + 2);
});
