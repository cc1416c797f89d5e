import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { api, internal } from "../_generated/api.js";
import {
  addDevice,
  addOrganization,
  answer as textAnswer,
  answerMicro,
  type Backend,
  claim,
  complete,
  completeWith,
  type Device,
  expectRefusal,
  modelId,
  type Organization,
  release,
  submit,
} from "./backend.fixture.ts";
import { countStatistics } from "./statistics.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;
let device: Device;
let other: Device;

const dayMs = 86_400_000;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  device = await addDevice(t, acme);
  other = await addDevice(t, acme);
});
afterEach(closeWorld);

async function answer(by: Device): Promise<string> {
  const attemptId = await claim(t, by, await submit(t, acme));
  vi.setSystemTime(Date.now() + 2_000);
  await complete(t, by, attemptId);
  return attemptId;
}

type Filter = NonNullable<(typeof api.devices.history)["_args"]["filter"]>;

const historyOf = async ({ key }: Device, filter?: Filter, numItems = 10, cursor: string | null = null) =>
  await t.query(api.devices.history, {
    key,
    paginationOpts: { numItems, cursor },
    ...(filter === undefined ? {} : { filter }),
  });
const idsOf = async (filter: Filter) =>
  (await historyOf(device, filter)).page.map(({ attemptId }) => attemptId);

it("a device sees its own earnings by day, and those of no other device", async () => {
  const firstDay = Math.floor(Date.now() / dayMs) * dayMs;
  await answer(device);
  await answer(device);
  await answer(other);
  vi.setSystemTime(firstDay + dayMs + 1);
  await answer(device);
  await countStatistics(t, acme);
  await t.mutation(internal.maintenance.project, {});
  const { days, since } = await t.query(api.devices.earningsByDay, { key: device.key });
  expect(days).toMatchObject([
    { startAt: firstDay, answered: 2, micro: 2n * answerMicro, promptTokens: 20, completionTokens: 6 },
    { startAt: firstDay + dayMs, answered: 1, micro: answerMicro },
  ]);
  expect(since).not.toBeNull();
  const { balanceMicro } = await t.query(api.devices.earnings, { key: device.key, since: 0 });
  expect(days.reduce((sum, { micro }) => sum + micro, 0n)).toBe(balanceMicro);
  const others = await t.query(api.devices.earningsByDay, { key: other.key });
  expect(others.days).toMatchObject([{ answered: 1, micro: answerMicro }]);
  const tokens = { subject: modelId, promptTokens: 10, completionTokens: 3 };
  const twice = { subject: modelId, promptTokens: 20, completionTokens: 6 };
  expect(days.map(({ models }) => models)).toEqual([[twice], [tokens]]);
  expect(others.days.map(({ models }) => models)).toEqual([[tokens]]);
  await expectRefusal(t.query(api.devices.earningsByDay, { key: "nobody" }), "unauthorized");
});

it("finds a device's own jobs by model, kind, outcome and time", async () => {
  const first = await answer(device);
  const released = await claim(t, device, await submit(t, acme));
  await release(t, device, released);
  const nextDay = Date.now() + dayMs;
  vi.setSystemTime(nextDay);
  const last = await answer(device);
  await answer(other);
  expect(await idsOf({})).toEqual([last, released, first]);
  expect(await idsOf({ status: "released" })).toEqual([released]);
  expect(await idsOf({ model: modelId.slice(1, -1).toUpperCase() })).toEqual([last, released, first]);
  expect(await idsOf({ model: "another" })).toEqual([]);
  expect(await idsOf({ kind: "embedding" })).toEqual([]);
  expect(await idsOf({ from: nextDay })).toEqual([last]);
  expect(await idsOf({ to: nextDay, status: "succeeded" })).toEqual([first]);
  await expectRefusal(historyOf(device, { model: "x".repeat(300) }), "invalid");
});

it("reads on until a page with a filter is full, and ends at the first job that is too old", async () => {
  const first = await answer(device);
  for (let more = 0; more < 4; more += 1) await answer(device);
  const released = await claim(t, device, await submit(t, acme));
  await release(t, device, released);
  const whole = await historyOf(device, { status: "succeeded" }, 2);
  expect(whole.page).toHaveLength(3);
  const rest = await historyOf(device, { status: "succeeded" }, 2, whole.continueCursor);
  expect(rest.page.at(-1)!.attemptId).toBe(first);
  vi.setSystemTime(Date.now() + 20 * dayMs);
  const late = await historyOf(device, { from: Date.now() }, 2);
  expect(late).toMatchObject({ page: [], isDone: true });
});

it("a device sees the figures that its organization compares this work with, and only the prices of its models", async () => {
  const factsOf = async ({ key }: Device) => (await t.query(api.devices.earningsByDay, { key })).facts;
  const none = { cloudPrices: [], currency: "", watts: null, gramsPerKwh: null };
  expect(await factsOf(device)).toEqual(none);
  const price = { modelId, prompt: 0.2, completion: 0.6 };
  const entered = { currency: "EUR", watts: 38, gramsPerKwh: 350 };
  await t.mutation(api.console.usage.setFacts, {
    session,
    cloudPrices: [price, { ...price, modelId: "another-model" }],
    ...entered,
  });
  await answer(device);
  await countStatistics(t, acme);
  expect(await factsOf(device)).toEqual({ cloudPrices: [price], ...entered });
  expect(await factsOf(other)).toEqual({ cloudPrices: [], ...entered });
  const beta = await addOrganization(t, { name: "beta" });
  expect(await factsOf(await addDevice(t, beta))).toEqual(none);
});

it("a job of the history has the energy that its device told", async () => {
  const energy = { microWh: 2_083, source: "measured" } as const;
  const { result, report } = textAnswer();
  const attemptId = await claim(t, device, await submit(t, acme));
  await completeWith(t, device, attemptId, { result, report: { ...report, energy } });
  await answer(device);
  const released = await claim(t, device, await submit(t, acme));
  await release(t, device, released);
  expect((await historyOf(device)).page.map((row) => row.energy)).toEqual([null, null, energy]);
});
