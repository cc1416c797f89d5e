import type { FunctionArgs } from "convex/server";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { addPreviews, noPreview, type RulePreview } from "../../app/devices/placement.ts";
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

const rules = api.console.fleet.groupRules;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(closeWorld);

type Filter = FunctionArgs<typeof rules.add>["filter"];

/** Lets the scheduled batches run. */
async function settle(): Promise<void> {
  for (let step = 0; step < 20; step += 1) {
    vi.advanceTimersByTime(1);
    await t.finishInProgressScheduledFunctions();
  }
}

async function add(group: string, filter: Filter): Promise<Id<"groupRules">> {
  const ruleId = await t.mutation(rules.add, { session, group, filter });
  await settle();
  return ruleId;
}

/** Says hello again with other facts. */
async function greet({ key }: Device, version: string, more: object = {}): Promise<void> {
  const said = greeting();
  const capabilities = { ...said.capabilities, ...more };
  await t.mutation(api.work.hello, { key, startup: false, version, capabilities });
}

async function label({ deviceId }: Device, groups: string[], tags: string[] = []): Promise<void> {
  await t.mutation(api.console.devices.label, { session, deviceId, groups, tags, dataClasses: [] });
}

/** "name: groups" of all devices, as the queue has them. */
const groups = async () =>
  (await listDevices(t, session)).map((row) => `${row.name}: ${row.groups.join("+")}`);

async function preview(wanted: Omit<FunctionArgs<typeof rules.preview>, "session" | "cursor">) {
  let sum: RulePreview = noPreview;
  let cursor: string | null = null;
  do {
    const page: RulePreview & { next: string | null } = await t.query(rules.preview, {
      session,
      cursor,
      ...wanted,
    });
    const { next, ...counts } = page;
    sum = addPreviews(sum, counts);
    cursor = next;
  } while (cursor !== null);
  return sum;
}

async function entries(): Promise<readonly string[]> {
  const paginationOpts = { numItems: 50, cursor: null };
  const { page } = await t.query(api.console.audit.list, { session, paginationOpts });
  return page
    .filter(({ action }) => action.startsWith("group-rule") || action === "device.released-to-rules")
    .map(({ action, detail }) => `${action}: ${detail ?? ""}`)
    .reverse();
}

it("puts devices that fit a rule into its group, in batches and at their enrollment", async () => {
  for (let at = 0; at < 30; at += 1) await addDevice(t, acme, `lab ${String(at)}`);
  await addDevice(t, acme, "office");
  await add("Lab", { named: "LAB" });
  await addDevice(t, acme, "lab new");
  const inLab = (await groups()).filter((line) => line.endsWith(": Lab"));
  expect(inLab).toHaveLength(31);
  expect(await groups()).toContain("office: ");
  expect(await groups()).toContain("lab new: Lab");
  expect(await entries()).toEqual(["group-rule.added: Lab: name with “LAB”"]);
});

it("moves a device when its facts change, and not when it only works", async () => {
  const device = await addDevice(t, acme, "one");
  await add("New", { fromVersion: "0.3.0" });
  expect(await groups()).toEqual(["one: "]);
  await greet(device, "0.3.0");
  expect(await groups()).toEqual(["one: New"]);
  await t.mutation(api.devices.report, { key: device.key, activity: { kind: "holding", reason: "in-use" } });
  expect(await groups()).toEqual(["one: New"]);
  await greet(device, "0.2.9");
  expect(await groups()).toEqual(["one: "]);
});

it("knows memory, kind of GPU, tags, system, model and owner", async () => {
  const device = await addDevice(t, acme, "one");
  const { deviceId } = device;
  const ada = await joinAs(t, session, { name: "Ada", roles: ["donor"] });
  const cases: readonly (readonly [Filter, () => Promise<unknown>])[] = [
    [{ platform: "linux" }, async () => Promise.resolve()],
    [{ memoryGb: 32 }, async () => greet(device, "0.1.0", { memoryMb: 31_000 })],
    [{ gpu: "cuda" }, async () => greet(device, "0.1.0", { tags: ["backend:cuda", "backend:cpu"] })],
    [{ tag: "fast disk" }, async () => greet(device, "0.1.0", { tags: ["fast disk"] })],
    [
      { tag: "encrypted" },
      async () => label(device, (await listDevices(t, session))[0]!.groups, ["encrypted"]),
    ],
    [{ model: "big" }, async () => greet(device, "0.1.0", { models: ["big"] })],
    [
      { owner: ada.memberId },
      async () => t.mutation(api.console.devices.setOwner, { session, deviceId, owner: ada.memberId }),
    ],
  ];
  for (const [filter, become] of cases) {
    const ruleId = await add("Fits", filter);
    await become();
    expect([filter, await groups()]).toEqual([filter, ["one: Fits"]]);
    await t.mutation(rules.remove, { session, ruleId });
    await settle();
    expect([filter, await groups()]).toEqual([filter, ["one: "]]);
  }
});

it("leaves devices where a hand put them, until they are left to the rules", async () => {
  const one = await addDevice(t, acme, "one");
  const { deviceId } = one;
  await label(one, ["Night"]);
  await add("Linux", { platform: "linux" });
  await greet(one, "0.5.0");
  expect(await groups()).toEqual(["one: Night"]);
  const placedBy = async () => (await t.query(api.console.devices.get, { session, deviceId })).placedBy;
  expect(await placedBy()).toBe("hand");
  await t.mutation(rules.release, { session, deviceId });
  expect(await groups()).toEqual(["one: Linux"]);
  expect(await placedBy()).toMatchObject({ group: "Linux", filter: { platform: "linux" } });
  // Taken out of all groups by hand, too.
  await label(one, []);
  await greet(one, "0.6.0");
  expect(await groups()).toEqual(["one: "]);
  expect((await entries()).at(-1)).toBe("device.released-to-rules: groups: Night → Linux");
});

it("keeps a placement by rule when a hand changes only the tags", async () => {
  const one = await addDevice(t, acme, "one");
  await add("Linux", { platform: "linux" });
  await label(one, ["Linux"], ["encrypted"]);
  const { placedBy } = await t.query(api.console.devices.get, { session, deviceId: one.deviceId });
  expect(placedBy).toMatchObject({ group: "Linux" });
});

it("lets the first of two rules place a device, in an order that a member sets and undoes", async () => {
  await addDevice(t, acme, "one");
  const linux = await add("Linux", { platform: "linux" });
  const large = await add("Large", { memoryGb: 8 });
  expect(await groups()).toEqual(["one: Linux"]);
  await t.mutation(rules.order, { session, ruleIds: [large, linux] });
  await settle();
  expect(await groups()).toEqual(["one: Large"]);
  expect((await t.query(rules.list, { session })).map(({ group }) => group)).toEqual(["Large", "Linux"]);
  await t.mutation(rules.order, { session, ruleIds: [linux, large] });
  await settle();
  expect(await groups()).toEqual(["one: Linux"]);
  await expectRefusal(t.mutation(rules.order, { session, ruleIds: [linux] }), "conflict");
  expect((await entries()).slice(2)).toEqual([
    "group-rule.moved: order: Linux, Large → Large, Linux",
    "group-rule.moved: order: Large, Linux → Linux, Large",
  ]);
});

it("changes and removes a rule, and undoes both", async () => {
  await addDevice(t, acme, "one");
  const ruleId = await add("Linux", { platform: "linux" });
  const before = await t.mutation(rules.change, {
    session,
    ruleId,
    group: "Old",
    filter: { fromVersion: "0.1.0" },
  });
  await settle();
  expect(await groups()).toEqual(["one: Old"]);
  expect(before).toEqual({ group: "Linux", filter: { platform: "linux" } });
  if ("refused" in before) throw new Error("refused");
  await t.mutation(rules.change, { session, ruleId, ...before });
  await settle();
  expect(await groups()).toEqual(["one: Linux"]);
  await add("Other", { named: "o" });
  const at = await t.mutation(rules.remove, { session, ruleId });
  await settle();
  expect(await groups()).toEqual(["one: Other"]);
  expect(at).toBe(0);
  await t.mutation(rules.add, { session, ...before, at: 0 });
  await settle();
  expect(await groups()).toEqual(["one: Linux"]);
});

it("previews how many devices a rule would move, and changes nothing", async () => {
  await addDevice(t, acme, "lab 0");
  // More rows than one page of the preview reads.
  await t.run(async (ctx) => {
    const { _id, _creationTime, ...row } = (await ctx.db.query("deviceListings").collect())[0]!;
    for (let at = 1; at < 205; at += 1) {
      const sortName = `lab ${String(at).padStart(12, "0")}`;
      await ctx.db.insert("deviceListings", { ...row, name: `lab ${String(at)}`, sortName });
    }
  });
  const byHand = await addDevice(t, acme, "lab by hand");
  await label(byHand, ["Night"]);
  await addDevice(t, acme, "office");
  const draft = { group: "Lab", filter: { named: "lab" } };
  expect(await preview({ ruleId: null, draft })).toEqual({
    moves: 205,
    same: 0,
    byHand: 1,
    earlier: 0,
    names: ["lab 0", "lab 1", "lab 2", "lab 3", "lab 4"],
  });
  expect(
    (
      await t.query(api.console.devices.list, {
        session,
        group: "Lab",
        paginationOpts: { numItems: 10, cursor: null },
      })
    ).page,
  ).toEqual([]);
});

it("previews the change and the removal of a rule, and a rule that comes too late", async () => {
  for (const name of ["lab 1", "lab 2"]) await addDevice(t, acme, name);
  const ruleId = await add("Lab", { named: "lab 1" });
  const wider = { group: "Lab", filter: { named: "lab" } };
  expect(await preview({ ruleId, draft: wider })).toMatchObject({ moves: 1, same: 1, names: ["lab 2"] });
  expect(await preview({ ruleId, draft: null })).toMatchObject({ moves: 1, names: ["lab 1"] });
  const later = { group: "Other", filter: { named: "lab 1" } };
  expect(await preview({ ruleId: null, draft: later })).toMatchObject({ moves: 0, earlier: 1 });
});

it("undoes a move by hand of many devices to where the rules had them", async () => {
  const { deviceId } = await addDevice(t, acme, "one");
  await add("Linux", { platform: "linux" });
  const act = { kind: "group" as const, group: "Night" };
  const bulk = api.console.bulkDevices;
  const bulkId = await t.mutation(bulk.prepare, { session, act, chosen: { deviceIds: [deviceId] } });
  if (typeof bulkId !== "string") throw new Error("refused");
  await settle();
  await t.mutation(bulk.run, { session, bulkId });
  await settle();
  expect(await groups()).toEqual(["one: Night"]);
  await t.mutation(bulk.undo, { session, bulkId });
  await settle();
  const { groups: now, placedBy } = await t.query(api.console.devices.get, { session, deviceId });
  expect([now, placedBy]).toMatchObject([["Linux"], { group: "Linux" }]);
});

it("refuses rules without a condition, too many rules, and owners of others", async () => {
  await expectRefusal(add("All", {}), "invalid");
  await expectRefusal(add("All", { named: " " }), "invalid");
  await expectRefusal(add(" ", { named: "x" }), "invalid");
  await expectRefusal(add("Old", { fromVersion: "three" }), "invalid");
  await expectRefusal(add("Big", { memoryGb: -1 }), "invalid");
  const other = await signIn(t, await addOrganization(t, { name: "Other" }));
  const { teamId } = await t.mutation(api.console.people.createTeam, { session: other, name: "Theirs" });
  await expectRefusal(add("Theirs", { owner: teamId }), "not_found");
  for (let at = 0; at < 50; at += 1)
    await t.mutation(rules.add, { session, group: `G${String(at)}`, filter: { named: "x" } });
  await expectRefusal(add("One more", { named: "x" }), "conflict");
  expect(await t.query(rules.list, { session: other })).toEqual([]);
});

it("lists devices by the same conditions", async () => {
  const one = await addDevice(t, acme, "one");
  await addDevice(t, acme, "two");
  await greet(one, "0.3.0", { memoryMb: 31_000, tags: ["backend:metal"] });
  const names = async (filter: Filter) =>
    (
      await t.query(api.console.devices.list, {
        session,
        ...filter,
        paginationOpts: { numItems: 10, cursor: null },
      })
    ).page.map(({ name }) => name);
  expect(await names({ memoryGb: 32 })).toEqual(["one"]);
  expect(await names({ gpu: "none" })).toEqual(["two"]);
  expect(await names({ named: "W" })).toEqual(["two"]);
  expect(await names({ fromVersion: "0.2.0" })).toEqual(["one"]);
});
