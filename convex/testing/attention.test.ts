import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { api, internal } from "../_generated/api.js";
import { askVersion } from "../model/devices/versions.ts";
import {
  addDevice,
  type Backend,
  countQueue,
  type Device,
  expectRefusal,
  greeting,
  listKeys,
  modelId,
  type Organization,
  submit,
} from "./backend.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { addWebhook, deliver, startReceiver } from "./webhook.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  vi.stubEnv("CONVEX_SITE_URL", "http://127.0.0.1:3211");
});

afterEach(() => {
  vi.unstubAllEnvs();
  closeWorld();
});

/** Lets a time pass, and the fleet be followed after it. */
async function follow(afterMs = 0): Promise<void> {
  vi.setSystemTime(Date.now() + afterMs);
  await t.action(internal.fleet.steps.followFleet, { organizationId: acme.organizationId });
}

async function kinds(): Promise<readonly string[]> {
  const items = await t.query(api.console.overview.attention, { session });
  return items.map(({ kind, subject, count }) =>
    [kind, subject, String(count)].filter((word) => word !== "").join(" "),
  );
}

async function listed(filters: {
  state?: "attention";
  concern?: "stuck" | "never-donated" | "not-updated" | "rolled-back" | "failing";
}) {
  const paginationOpts = { numItems: 50, cursor: null };
  const { page } = await t.query(api.console.devices.list, { session, ...filters, paginationOpts });
  return page.map(({ name }) => name);
}

async function fail({ deviceId }: Device): Promise<void> {
  await t.run(async (ctx) => {
    const pause = { at: Date.now(), failed: 9, of: 10, cause: "answers" as const };
    await ctx.db.patch("devices", deviceId, { pause });
  });
  await t.mutation(internal.fleet.steps.relistDevices, { deviceIds: [deviceId] });
}

it("lists a failing device under those that need attention, and counts it within a minute", async () => {
  const failing = await addDevice(t, acme, "failing");
  await addDevice(t, acme, "healthy");
  await follow();
  expect(await kinds()).toEqual([]);
  await fail(failing);
  expect(await listed({ state: "attention" })).toEqual(["failing"]);
  await follow();
  expect(await kinds()).toEqual(["failing 1"]);
  await t.mutation(api.console.devices.resume, { session, deviceId: failing.deviceId });
  expect(await listed({ state: "attention" })).toEqual([]);
  await follow();
  expect(await kinds()).toEqual([]);
});

it("does not ask for attention because a person paused a device", async () => {
  const { deviceId } = await addDevice(t, acme);
  await t.mutation(api.console.devices.pause, { session, deviceId, until: null });
  await follow();
  expect(await kinds()).toEqual([]);
  expect(await listed({ state: "attention" })).toEqual([]);
});

it("notices by time alone that a device was asked for an update three days ago", async () => {
  const { key } = await addDevice(t, acme, "slow");
  await t.run(async (ctx) => {
    const device = await ctx.db.query("devices").unique();
    if (device !== null) await askVersion(ctx, device._id, { version: "0.5.0", at: Date.now() });
  });
  await follow(3 * dayMs - minuteMs);
  expect(await listed({ concern: "not-updated" })).toEqual([]);
  await follow(2 * minuteMs);
  expect(await listed({ concern: "not-updated" })).toEqual(["slow"]);
  expect(await kinds()).toEqual(["not-updated 1"]);
  await t.mutation(api.work.hello, { key, ...greeting(), version: "0.5.0" });
  expect(await listed({ concern: "not-updated" })).toEqual([]);
});

it("names a device as soon as it goes back to its earlier version, until it has the failed version or a newer one", async () => {
  const { key, deviceId } = await addDevice(t, acme, "one");
  const activity = { kind: "donating", reason: "idle" } as const;
  const rolledBack = async () =>
    (await t.query(api.console.devices.get, { session, deviceId })).rolledBackVersion;
  const told = async () => {
    const names = await listed({ concern: "rolled-back" });
    await follow();
    return [names, await kinds(), await rolledBack()];
  };
  const [fine, wentBack] = [
    [[], [], null],
    [["one"], ["rolled-back 1"], "0.3.0"],
  ];
  await t.run(async (ctx) => await askVersion(ctx, deviceId, { version: "0.3.0", at: Date.now() }));
  expect(await told()).toEqual(fine);
  await t.mutation(api.devices.report, { key, activity, rolledBackVersion: "0.3.0" });
  expect(await told()).toEqual(wentBack);
  await follow(4 * dayMs);
  expect(await told()).toEqual(wentBack);

  await t.mutation(api.work.hello, { key, ...greeting(), version: "0.2.0" });
  expect(await told()).toEqual(wentBack);
  await t.mutation(api.work.hello, { key, ...greeting(), version: "0.4.0" });
  expect(await told()).toEqual(fine);
  // The program keeps it in mind until its next start.
  await t.mutation(api.devices.report, { key, activity, rolledBackVersion: "0.3.0" });
  expect(await told()).toEqual(fine);
});

it("ends that concern when a device reports without it, and refuses what is no version", async () => {
  const { key } = await addDevice(t, acme, "one");
  const activity = { kind: "donating", reason: "idle" } as const;
  await t.mutation(api.devices.report, { key, activity, rolledBackVersion: "0.3.0" });
  expect(await listed({ concern: "rolled-back" })).toEqual(["one"]);
  const wrong = { key, activity, rolledBackVersion: "9".repeat(1_000) };
  await expectRefusal(t.mutation(api.devices.report, wrong), "invalid");
  await t.mutation(api.devices.report, { key, activity });
  expect(await listed({ concern: "rolled-back" })).toEqual([]);
});

it("notices by time alone that a device is stuck at its start, and that it never donated", async () => {
  const { key } = await addDevice(t, acme, "slow");
  await t.run(async (ctx) => {
    for (const row of await ctx.db.query("deviceListings").collect())
      await ctx.db.patch("deviceListings", row._id, { hasDonated: false });
  });
  await t.mutation(api.devices.report, { key, activity: { kind: "holding", reason: "starting" } });
  await follow(hourMs - minuteMs);
  expect(await listed({ concern: "stuck" })).toEqual([]);
  await follow(2 * minuteMs);
  expect(await listed({ concern: "stuck" })).toEqual(["slow"]);
  expect(await kinds()).toEqual(["stuck 1"]);
  await follow(7 * dayMs);
  expect(await listed({ concern: "never-donated" })).toEqual(["slow"]);
  await t.mutation(api.devices.report, { key, activity: { kind: "donating", reason: "idle" } });
  expect(await listed({ state: "attention" })).toEqual([]);
});

it("names a model that no device can run, and jobs that wait while none donates, after a while", async () => {
  const { key } = await addDevice(t, acme, "one", ["another model"]);
  await t.mutation(api.devices.report, { key, activity: { kind: "holding", reason: "in-use" } });
  await submit(t, acme);
  await countQueue(t);
  await follow();
  expect(await kinds()).toEqual([]);
  await follow(6 * minuteMs);
  expect(await kinds()).toEqual(["unserved-jobs 1"]);
  await follow(6 * minuteMs);
  expect(await kinds()).toEqual(["unserved-jobs 1", `unserved-model ${modelId} 0`]);
  await addDevice(t, acme, "two");
  await follow();
  expect(await kinds()).toEqual([]);
});

it("counts the keys that expire within two weeks, for members who see keys", async () => {
  const [key] = await listKeys(t, session);
  const expire = async (expiresAt: number | null): Promise<void> => {
    await t.mutation(api.console.keys.setAccess, { session, keyId: key!.keyId, expiresAt });
  };
  const { session: operator } = await joinAs(t, session, { name: "Otto", roles: ["operator"] });
  await expire(Date.now() + 15 * dayMs);
  await follow();
  expect(await kinds()).toEqual([]);
  await expire(Date.now() + 13 * dayMs);
  await follow();
  expect(await kinds()).toEqual(["expiring-keys 1"]);
  expect(await t.query(api.console.overview.attention, { session: operator })).toEqual([]);
  await expire(null);
  await follow();
  expect(await kinds()).toEqual([]);
});

it("tells a webhook once when something begins and once when it ends", async () => {
  const receiver = await startReceiver();
  await addWebhook(t, session, receiver.url, ["attention.began", "attention.ended"]);
  const device = await addDevice(t, acme);
  await fail(device);
  for (let minute = 0; minute < 3; minute += 1) await follow(minuteMs);
  await deliver(t);
  await deliver(t);
  await t.mutation(api.console.devices.resume, { session, deviceId: device.deviceId });
  for (let minute = 0; minute < 3; minute += 1) await follow(minuteMs);
  await deliver(t);
  await deliver(t);
  expect(
    receiver.messages.map(({ event: { type, data } }) => [type, data["kind"], data["sentence"]]),
  ).toEqual([
    ["attention.began", "failing", "1 device was paused because too many of its jobs failed."],
    ["attention.ended", "failing", "No device is paused because of failed jobs anymore."],
  ]);
  receiver.close();
});
