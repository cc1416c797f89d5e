import type { FunctionArgs } from "convex/server";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { api, internal } from "../_generated/api.js";
import {
  addDevice,
  addOrganization,
  type Backend,
  type Device,
  expectRefusal,
  modelId,
  type Organization,
  signIn,
} from "./backend.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(closeWorld);

type Filters = Omit<FunctionArgs<typeof api.console.devices.list>, "session" | "paginationOpts">;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** The names of all devices that fit, in their order, read two at a time. */
async function names(filters: Filters = {}, by = session): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | null = null;
  for (;;) {
    const page: { page: { name: string }[]; isDone: boolean; continueCursor: string } = await t.query(
      api.console.devices.list,
      { session: by, ...filters, paginationOpts: { numItems: 2, cursor } },
    );
    found.push(...page.page.map(({ name }) => name));
    if (page.isDone) return found;
    cursor = page.continueCursor;
  }
}

async function follow(): Promise<void> {
  await t.action(internal.fleet.steps.followFleet, { organizationId: acme.organizationId });
}

async function standBy({ key }: Device): Promise<void> {
  await t.mutation(api.devices.report, { key, activity: { kind: "holding", reason: "in-use" } });
}

it("lists devices by name with numbers by their value, by enrollment and by their last change", async () => {
  const devices: Device[] = [];
  for (const name of ["lab 10", "Lab 9", "atrium"]) {
    devices.push(await addDevice(t, acme, name));
    vi.setSystemTime(Date.now() + minuteMs);
  }
  await standBy(devices[0]!);
  expect(await names()).toEqual(["atrium", "Lab 9", "lab 10"]);
  expect(await names({ order: "enrolled" })).toEqual(["lab 10", "Lab 9", "atrium"]);
  expect(await names({ order: "changed", descending: true })).toEqual(["lab 10", "atrium", "Lab 9"]);
});

it("finds devices by the beginning of a word of their name, together with other filters", async () => {
  for (const name of ["Ada's laptop", "Ben's laptop", "Adam"]) await addDevice(t, acme, name);
  await standBy(await addDevice(t, acme, "Ada's desktop"));
  expect((await names({ search: "ada" })).sort()).toEqual(["Ada's desktop", "Ada's laptop", "Adam"]);
  expect(await names({ search: "ada", state: "standby" })).toEqual(["Ada's desktop"]);
  expect(await names({ search: "nobody" })).toEqual([]);
});

it("lists devices of one state at once after each transition", async () => {
  const one = await addDevice(t, acme, "one");
  const two = await addDevice(t, acme, "two");
  expect(await names({ state: "donating" })).toEqual(["one", "two"]);
  await standBy(one);
  expect(await names({ state: "donating" })).toEqual(["two"]);
  expect(await names({ state: "online" })).toEqual(["one", "two"]);
  await t.mutation(api.work.goodbye, { key: one.key });
  expect(await names({ state: "offline" })).toEqual(["one"]);
  await t.mutation(api.console.devices.retire, { session, deviceId: two.deviceId });
  expect(await names({ state: "retired" })).toEqual(["two"]);
  await t.mutation(api.console.devices.reinstate, { session, deviceId: two.deviceId });
  expect(await names({ state: "retired" })).toEqual([]);
});

it("filters by group, system, version, model and time", async () => {
  const lab = await addDevice(t, acme, "lab", ["demo-1m", "big"]);
  await addDevice(t, acme, "other");
  await t.mutation(api.console.devices.label, {
    session,
    deviceId: lab.deviceId,
    groups: ["Lab"],
    dataClasses: [],
  });
  expect(await names({ group: "Lab" })).toEqual(["lab"]);
  expect(await names({ model: "big" })).toEqual(["lab"]);
  expect(await names({ platform: "linux", version: "0.1.0" })).toEqual(["lab", "other"]);
  expect(await names({ platform: "win32" })).toEqual([]);
  expect(await names({ version: "9.0.0" })).toEqual([]);
  expect(await names({ changedBefore: Date.now() })).toEqual([]);
  expect(await names({ changedBefore: Date.now() + 1 })).toEqual(["lab", "other"]);
  await expectRefusal(names({ group: "x".repeat(300) }), "invalid");
});

it("notices within a minute that a device was lost, and counts the fleet", async () => {
  const device = await addDevice(t, acme, "lost");
  await addDevice(t, acme, "still here");
  const counts = async () => await t.query(api.console.devices.counts, { session });
  expect((await counts()).at).toBeNull();
  await follow();
  expect(await counts()).toMatchObject({ states: { donating: 2, offline: 0 }, at: Date.now() });
  // As the queue does when a worker's lease is over.
  vi.setSystemTime(Date.now() + 10 * minuteMs);
  await t.mutation(api.work.goodbye, { key: device.key });
  await t.run(async (ctx) => {
    const listing = (await ctx.db.query("deviceListings").collect()).find(({ name }) => name === "lost")!;
    await ctx.db.patch("deviceListings", listing._id, { state: "donating" });
  });
  expect(await names({ state: "donating" })).toEqual(["lost", "still here"]);
  await follow();
  expect(await names({ state: "donating" })).toEqual(["still here"]);
  const after = await counts();
  expect(after.states).toMatchObject({ donating: 1, offline: 1 });
  expect(after.facets).toContainEqual({ of: "platform", name: "linux", devices: 2 });
  await follow();
  expect((await counts()).states).toEqual(after.states);
});

it("counts a group as soon as a device is put into it", async () => {
  const { deviceId } = await addDevice(t, acme);
  const groups = async () =>
    (await t.query(api.console.devices.counts, { session })).facets.filter(({ of }) => of === "group");
  const label = async (...named: string[]) => {
    await t.mutation(api.console.devices.label, { session, deviceId, groups: named, dataClasses: [] });
    vi.advanceTimersByTime(10);
    await t.finishInProgressScheduledFunctions();
  };
  await label("Lab", "Night");
  expect(await groups()).toEqual([
    { of: "group", name: "Lab", devices: 1 },
    { of: "group", name: "Night", devices: 1 },
  ]);
  await label("Night");
  expect(await groups()).toEqual([{ of: "group", name: "Night", devices: 1 }]);
});

it("keeps a journal of what a device did, for eight days", async () => {
  const device = await addDevice(t, acme);
  const { deviceId } = device;
  const journal = async () => await t.query(api.console.devices.journal, { session, deviceId });
  const began = Date.now();
  vi.setSystemTime(began + minuteMs);
  await standBy(device);
  await standBy(device);
  expect((await journal()).slice(-2)).toEqual([
    { at: began, state: "donating", reason: "idle" },
    { at: began + minuteMs, state: "standby", reason: "in-use" },
  ]);
  for (let day = 1; day <= 20; day += 1) {
    vi.setSystemTime(began + day * dayMs);
    await standBy(device);
    await t.mutation(api.devices.report, {
      key: device.key,
      activity: { kind: "donating", reason: "idle" },
    });
  }
  const spans = await journal();
  expect(spans.at(-1)).toEqual({ at: Date.now(), state: "donating", reason: "idle" });
  expect(spans[0]!.at).toBeGreaterThanOrEqual(Date.now() - 10 * dayMs);
  const stored = await t.run(async (ctx) => await ctx.db.query("deviceDays").collect());
  expect(stored.length).toBeLessThanOrEqual(10);
});

it("shows a donor only their own devices, in the list and in the counts", async () => {
  const mine = await addDevice(t, acme, "mine");
  await addDevice(t, acme, "theirs");
  const other = await addOrganization(t, { name: "Other" });
  await addDevice(t, other, "elsewhere");
  const donor = await t.run(async (ctx) => {
    const { organizationId } = acme;
    const row = { organizationId, name: "Don", roles: ["donor" as const], teamIds: [], createdAt: 0 };
    const memberId = await ctx.db.insert("members", row);
    await ctx.db.patch("devices", mine.deviceId, { owner: memberId });
    return memberId;
  });
  await t.mutation(internal.fleet.steps.relistDevices, { deviceIds: [mine.deviceId] });
  expect(await names({ owner: donor })).toEqual(["mine"]);
  const own = await signInAs(donor);
  expect(await names({}, own)).toEqual(["mine"]);
  expect(await names({ search: "theirs" }, own)).toEqual([]);
  expect((await t.query(api.console.devices.counts, { session: own })).states.donating).toBe(1);
  await expectRefusal(names({ owner: donor }, await signIn(t, other)), "not_found");
});

it("tells how a device's attempts ended, and what it earned on a day", async () => {
  const { deviceId } = await addDevice(t, acme);
  const outcomes = await t.query(api.console.devices.outcomes, { session, deviceId });
  expect(outcomes).toEqual({ of: 0, succeeded: 0, failed: 0, lost: 0, released: 0, other: 0 });
  const day = { session, deviceId, from: Date.now() - dayMs, to: Date.now() };
  expect(await t.query(api.console.devices.earned, day)).toBe(0n);
  await expectRefusal(t.query(api.console.devices.earned, { ...day, from: 0 }), "invalid");
});

it("counts a small fleet with each change, and a large one once a minute", async () => {
  const one = await addDevice(t, acme, "one");
  const two = await addDevice(t, acme, "two");
  const shown = async () => {
    const { devicesOnline, devicesDonating } = await t.query(api.console.overview.summary, { session });
    const { donating, standby } = (await t.query(api.console.devices.counts, { session })).states;
    expect({ online: donating + standby, donating }).toEqual({
      online: devicesOnline,
      donating: devicesDonating,
    });
    return [devicesOnline, devicesDonating];
  };
  expect(await shown()).toEqual([2, 2]);
  await standBy(one);
  expect(await shown()).toEqual([2, 1]);
  await t.run(async (ctx) => {
    const counts = (await ctx.db.query("deviceCounts").unique())!;
    const states = { ...counts.states, offline: 3_000 };
    await ctx.db.patch("deviceCounts", counts._id, { states });
  });
  // The change that makes the fleet large is the last one that is counted at once.
  await standBy(one);
  await t.mutation(api.devices.report, { key: one.key, activity: { kind: "donating", reason: "idle" } });
  expect(await shown()).toEqual([2, 2]);
  await standBy(two);
  expect(await shown()).toEqual([2, 2]);
  await follow();
  expect(await shown()).toEqual([2, 1]);
});

it("counts the devices that are ready with a model in a large fleet, and reads few of them", async () => {
  const { deviceId } = await addDevice(t, acme);
  await follow();
  await t.run(async (ctx) => {
    const { organizationId } = acme;
    const models = [{ modelId, state: "ready" as const }];
    for (let at = 0; at < 300; at += 1)
      await ctx.db.insert("deviceModels", { organizationId, deviceId, models, reportedAt: 0 });
    const counts = (await ctx.db.query("deviceCounts").unique())!;
    const facets = [{ of: "model" as const, name: modelId, devices: 9_000 }];
    await ctx.db.patch("deviceCounts", counts._id, { facets });
  });
  const models = async () => await t.query(api.console.models.list, { session });
  expect((await models()).find((model) => model.modelId === modelId)?.fleet.ready).toBe(9_000);
});

async function signInAs(memberId: string): Promise<string> {
  const secretText = "gs_".padEnd(46, "d");
  const { hashSecret } = await import("../model/authenticate.ts");
  const sessionHash = await hashSecret(secretText);
  await t.run(async (ctx) => {
    const found = ctx.db.normalizeId("members", memberId)!;
    await ctx.db.insert("sessions", {
      organizationId: acme.organizationId,
      sessionHash,
      memberId: found,
      expiresAt: Date.now() + dayMs,
    });
  });
  return secretText;
}
