import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { internal } from "../_generated/api.js";
import { queue } from "../model/queue.ts";
import { type Backend, type Device, type Organization, pass } from "./backend.fixture.ts";
import { addChecker, answerJob, chooseMode } from "./checks.fixture.ts";
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
  await pass(t, 10);
  expect(await left()).toEqual([2, 3]);
  await begin();
  for (let more = 0; more < 3; more += 1) await pass(t, 10);
  expect(await left()).toEqual([]);
  expect((await spending())?.answers).toBeCloseTo(15, 3);
  expect((await spending())?.choosing).toBeUndefined();

  await leaveBatch(1);
  await begin();
  await pass(t, 10);
  expect(await left()).toEqual([]);
});

it("a run that an error ended is followed by another one, which leaves the next jobs out", async () => {
  await leaveBatch(12);
  await begin();
  vi.spyOn(queue, "histories").mockRejectedValueOnce(new Error("no history"));
  await pass(t, 10);
  expect(await left()).toEqual([12]);
  await t.mutation(internal.trust.checks.sweep, {});
  for (let step = 0; step < 4; step += 1) await pass(t, 10);
  expect(await left()).toEqual([]);
  expect((await spending())?.answers).toBeCloseTo(2, 3);
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
