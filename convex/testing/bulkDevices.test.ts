import type { FunctionArgs, FunctionReturnType } from "convex/server";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { BulkKind } from "../../app/devices/bulk.ts";
import { api } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import {
  addDevice,
  addOrganization,
  type Backend,
  type Device,
  expectRefusal,
  greeting,
  type Organization,
  signIn,
} from "./backend.fixture.ts";
import { listDevices } from "./listDevices.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(closeWorld);

type Chosen = FunctionArgs<typeof api.console.bulkDevices.prepare>["chosen"];
type Shown = FunctionReturnType<typeof api.console.bulkDevices.get>;

const all: Chosen = { filters: {} };

async function prepare(kind: BulkKind, chosen: Chosen = all, group = ""): Promise<Id<"bulkActs">> {
  const act = { kind, group };
  const bulkId = await t.mutation(api.console.bulkDevices.prepare, { session, act, chosen });
  await settle(bulkId, "found");
  return bulkId;
}

async function run(bulkId: Id<"bulkActs">): Promise<Shown> {
  await t.mutation(api.console.bulkDevices.run, { session, bulkId });
  return await settle(bulkId, "done");
}

async function undo(bulkId: Id<"bulkActs">): Promise<Shown> {
  await t.mutation(api.console.bulkDevices.undo, { session, bulkId });
  return await settle(bulkId, "undone");
}

const show = async (bulkId: Id<"bulkActs">) =>
  await t.query(api.console.bulkDevices.get, { session, bulkId });

/** Lets the scheduled batches run until the act is in a state. */
async function settle(bulkId: Id<"bulkActs">, state: Shown["state"]): Promise<Shown> {
  for (let step = 0; step < 50; step += 1) {
    const shown = await show(bulkId);
    if (shown.state === state) return shown;
    vi.advanceTimersByTime(1);
    await t.finishInProgressScheduledFunctions();
  }
  throw new Error(`the act is ${(await show(bulkId)).state}, not ${state}`);
}

async function hello({ key }: Pick<Device, "key">, version: string): Promise<void> {
  await t.mutation(api.work.hello, { key, ...greeting(), version });
}

const statuses = async () => (await listDevices(t, session)).map(({ name, status }) => `${name} ${status}`);

async function entries(): Promise<readonly string[]> {
  const paginationOpts = { numItems: 50, cursor: null };
  const { page } = await t.query(api.console.audit.list, { session, paginationOpts });
  return page
    .filter(({ action }) => action.startsWith("devices.") || action.startsWith("device.pa"))
    .map(({ action, detail }) => `${action}: ${detail ?? ""}`);
}

it("previews which devices pause and which are paused already, and changes nothing yet", async () => {
  const one = await addDevice(t, acme, "one");
  const two = await addDevice(t, acme, "two");
  await t.mutation(api.console.devices.pause, { session, deviceId: one.deviceId, until: null });
  const bulkId = await prepare("pause");
  expect(await show(bulkId)).toMatchObject({ counts: { changes: 1, same: 1, cannot: 0 }, done: 0 });
  expect(await statuses()).toEqual(["one paused", "two active"]);
  await t.mutation(api.console.devices.retire, { session, deviceId: two.deviceId });
  expect((await run(bulkId)).done).toBe(0);
  expect(await statuses()).toEqual(["one paused", "two retired"]);
});

it("names the member who undoes an act, not the one who began it", async () => {
  await addDevice(t, acme);
  const bulkId = await prepare("pause");
  await run(bulkId);
  const ada = await joinAs(t, session, { name: "Ada", roles: ["operator"] });
  await t.mutation(api.console.bulkDevices.undo, { session: ada.session, bulkId });
  await settle(bulkId, "undone");
  const paginationOpts = { numItems: 50, cursor: null };
  const { page } = await t.query(api.console.audit.list, { session, paginationOpts });
  expect(page.find(({ action }) => action === "devices.change-undone")?.memberId).toBe(ada.memberId);
});

it("pauses all devices that fit a filter in batches, with one entry in the audit trail, and undoes it", async () => {
  for (let at = 0; at < 60; at += 1) await addDevice(t, acme, `lab ${String(at)}`);
  await addDevice(t, acme, "office");
  const bulkId = await prepare("pause", { filters: { state: "donating", search: "lab" } });
  expect((await show(bulkId)).counts).toEqual({ changes: 60, same: 0, cannot: 0 });
  expect((await run(bulkId)).done).toBe(60);
  const paused = (await statuses()).filter((line) => line.endsWith("paused"));
  expect(paused).toHaveLength(60);
  expect(await entries()).toEqual(["devices.changed: 60 of 60 devices: 60 in service → paused"]);
  expect((await undo(bulkId)).done).toBe(60);
  expect((await statuses()).every((line) => line.endsWith("active"))).toBe(true);
  expect(await entries()).toEqual([
    "devices.change-undone: 60 of 60 devices: paused → 60 in service",
    "devices.changed: 60 of 60 devices: 60 in service → paused",
  ]);
  await expectRefusal(t.mutation(api.console.bulkDevices.undo, { session, bulkId }), "conflict");
});

it("moves chosen devices to a group, and back to their own groups", async () => {
  const one = await addDevice(t, acme, "one");
  const two = await addDevice(t, acme, "two");
  await addDevice(t, acme, "three");
  const label = { session, deviceId: one.deviceId, groups: ["Lab", "Night"], dataClasses: [] };
  await t.mutation(api.console.devices.label, label);
  const groups = async () => (await listDevices(t, session)).map((row) => row.groups.join("+"));
  const bulkId = await prepare("group", { deviceIds: [one.deviceId, two.deviceId] }, "Day");
  await run(bulkId);
  expect(await groups()).toEqual(["Day", "Day", ""]);
  expect(await entries()).toEqual(["devices.changed: 2 of 2 devices: 1 Lab, Night, 1 no group → Day"]);
  // Somebody changes one of them before the undo, which leaves it.
  await t.mutation(api.console.devices.label, { ...label, deviceId: two.deviceId, groups: ["Other"] });
  expect((await undo(bulkId)).done).toBe(1);
  expect(await groups()).toEqual(["Lab+Night", "Other", ""]);
});

it("drains, resumes and retires many devices", async () => {
  await addDevice(t, acme, "one");
  await addDevice(t, acme, "two");
  await run(await prepare("drain"));
  expect(await statuses()).toEqual(["one paused", "two paused"]);
  const resumed = await prepare("resume");
  await run(resumed);
  expect(await statuses()).toEqual(["one active", "two active"]);
  await undo(resumed);
  expect(await statuses()).toEqual(["one paused", "two paused"]);
  const retired = await prepare("retire");
  await run(retired);
  expect(await statuses()).toEqual(["one retired", "two retired"]);
  await undo(retired);
  expect(await statuses()).toEqual(["one paused", "two paused"]);
});

it("asks devices for an update, which each forgets once it has it, and withdraws it from the others", async () => {
  const [one, two, three] = [
    await addDevice(t, acme, "one"),
    await addDevice(t, acme, "two"),
    await addDevice(t, acme, "three"),
  ];
  await hello(three, "0.5.0");
  await hello(one, "0.4.0");
  const act = { kind: "update" as const, group: "", version: "0.5.0" };
  const bulkId = await t.mutation(api.console.bulkDevices.prepare, { session, act, chosen: all });
  await settle(bulkId, "found");
  expect((await show(bulkId)).counts).toEqual({ changes: 2, same: 1, cannot: 0 });
  await run(bulkId);
  const asked = async () =>
    (await listDevices(t, session)).map(({ name, status, askedVersion }) => [
      name,
      status,
      askedVersion?.version ?? null,
    ]);
  expect(await asked()).toEqual([
    ["one", "active", "0.5.0"],
    ["two", "active", "0.5.0"],
    ["three", "active", null],
  ]);
  expect(await entries()).toEqual(["devices.changed: 2 of 3 devices: 1 0.4.0, 1 0.1.0 → asked for 0.5.0"]);
  expect(await t.query(api.devices.me, { key: two.key })).toMatchObject({
    status: "active",
    needsVersion: null,
    askedVersion: "0.5.0",
  });
  await hello(one, "0.4.9");
  expect((await t.query(api.devices.me, { key: one.key })).askedVersion).toBe("0.5.0");
  await hello(one, "0.5.1");
  expect((await t.query(api.devices.me, { key: one.key })).askedVersion).toBeNull();
  expect((await undo(bulkId)).done).toBe(1);
  expect((await t.query(api.devices.me, { key: two.key })).askedVersion).toBeNull();
  await expectRefusal(
    t.mutation(api.console.bulkDevices.prepare, {
      session,
      act: { ...act, version: "newest" },
      chosen: all,
    }),
    "invalid",
  );
});

it("never touches devices of another organization, and deletes old acts", async () => {
  const other = await addOrganization(t, { name: "Other" });
  const theirs = await addDevice(t, other, "theirs");
  const { deviceId } = await addDevice(t, acme);
  await expectRefusal(prepare("retire", { deviceIds: [deviceId, theirs.deviceId] }), "not_found");
  const bulkId = await prepare("retire", { deviceIds: [deviceId] });
  const stranger = await signIn(t, other);
  await expectRefusal(t.query(api.console.bulkDevices.get, { session: stranger, bulkId }), "not_found");
  vi.advanceTimersByTime(7 * 24 * 3_600_000 + 1);
  await t.finishInProgressScheduledFunctions();
  await expectRefusal(t.query(api.console.bulkDevices.get, { session, bulkId }), "unauthorized");
  expect(await t.run(async (ctx) => await ctx.db.query("bulkActs").collect())).toEqual([]);
});

it("refuses to find more than 500 chosen devices", async () => {
  const { deviceId } = await addDevice(t, acme);
  const deviceIds = Array.from({ length: 501 }, () => deviceId);
  const act = { kind: "pause" as const, group: "" };
  await expectRefusal(
    t.mutation(api.console.bulkDevices.prepare, { session, act, chosen: { deviceIds } }),
    "invalid",
  );
});
