import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { api } from "../_generated/api.js";
import {
  addDevice,
  addOrganization,
  type Backend,
  type Device,
  expectRefusal,
  type Organization,
  secret,
  signIn,
} from "./backend.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;
let device: Device;
const paginationOpts = { numItems: 50, cursor: null };

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  device = await addDevice(t, acme);
});

afterEach(closeWorld);

type Values = Record<string, unknown>;

const save = async (
  values: Values,
  locked: string[] = [],
  over: { group?: string; baseVersion?: number } = {},
) =>
  await t.mutation(api.console.policy.save, {
    session,
    group: "",
    baseVersion: 0,
    rules: { values, locked },
    ...over,
  });
const get = async (group = "") => await t.query(api.console.policy.get, { session, group });
const held = async ({ key }: Device = device) => (await t.query(api.devices.me, { key })).policy;
const join = async (groups: string[], { deviceId }: Device = device) =>
  await t.mutation(api.console.devices.label, { session, deviceId, groups, dataClasses: [] });

describe("an organization's policy", () => {
  it("has no rules until an admin sets one", async () => {
    const nothing = { values: {}, locked: [] };
    expect(await get()).toEqual({ version: 0, rules: nothing, versions: [] });
    expect(await held()).toEqual(nothing);
    expect(await t.query(api.console.policy.groups, { session })).toEqual([]);
  });

  it("tells an organization's devices the values and locks of its rules", async () => {
    expect(await save({ idleAfterSeconds: 300, schedule: null }, ["idleAfterSeconds", "quiet"])).toEqual({
      version: 1,
    });
    const rules = {
      values: { idleAfterSeconds: 300, schedule: null },
      locked: ["idleAfterSeconds", "quiet"],
    };
    expect(await held()).toEqual(rules);
    expect(await get()).toMatchObject({ version: 1, rules });
  });

  it("refuses a rule that is unknown or out of bounds, and names it", async () => {
    const wrong: readonly (readonly [Values, string[]])[] = [
      [{ idleAfterSeconds: 5 }, []],
      [{ batteryFloorPercent: 101 }, []],
      [{ requireIdle: "yes" }, []],
      [{ maxTemperatureC: 30 }, []],
      [{ schedule: [{ days: [7], fromMinute: 0, toMinute: 60 }] }, []],
      [{ excludedPrograms: Array.from({ length: 101 }, (_, at) => `p${String(at)}`) }, []],
      [{ anything: 1 }, []],
      [{}, ["anything"]],
    ];
    for (const [values, locked] of wrong) await expectRefusal(save(values, locked), "invalid");
    await expect(save({ batteryFloorPercent: 101 })).rejects.toThrow(/batteryFloorPercent/);
    expect((await get()).version).toBe(0);
  });

  it("does not overwrite a newer version of the policy", async () => {
    await save({ quiet: true });
    await expectRefusal(save({ quiet: false }), "conflict");
    expect(await held()).toMatchObject({ values: { quiet: true } });
  });

  it("saves no version without a change", async () => {
    await save({ quiet: true });
    expect(await save({ quiet: true }, [], { baseVersion: 1 })).toEqual({ version: 1 });
    expect((await get()).versions).toHaveLength(1);
  });

  it("restores an earlier version as a new one, even one without rules", async () => {
    await save({ idleAfterSeconds: 300 }, ["idleAfterSeconds"]);
    await save({ idleAfterSeconds: 600 }, [], { baseVersion: 1 });
    const restore = async (version: number, baseVersion: number) =>
      await t.mutation(api.console.policy.restore, { session, group: "", baseVersion, version });
    const preview = async (version: number) =>
      await t.query(api.console.policy.restorePreview, { session, group: "", version });
    expect(await preview(2)).toEqual([]);
    const changes = await preview(1);
    expect(changes).toHaveLength(1);
    expect(changes[0]).toContain("locked");
    await expectRefusal(preview(9), "not_found");
    expect(await restore(1, 2)).toEqual({ version: 3 });
    expect((await get()).versions[0]?.changes).toEqual(changes);
    expect(await held()).toEqual({ values: { idleAfterSeconds: 300 }, locked: ["idleAfterSeconds"] });
    await expectRefusal(restore(2, 2), "conflict");
    await expectRefusal(restore(9, 3), "not_found");
    expect(await restore(0, 3)).toEqual({ version: 4 });
    expect(await held()).toEqual({ values: {}, locked: [] });
  });

  it("keeps the last thirty versions of a policy", async () => {
    for (let version = 0; version < 40; version += 1) {
      await save({ idleAfterSeconds: 100 + version }, [], { baseVersion: version });
    }
    const { version, versions } = await get();
    expect(version).toBe(40);
    expect(versions.map((each) => each.version)).toEqual(Array.from({ length: 30 }, (_, at) => 40 - at));
    expect(await t.run(async (ctx) => (await ctx.db.query("policies").collect()).length)).toBe(30);
  });

  it("records the changes of a policy in the audit trail", async () => {
    await save({ idleAfterSeconds: 300 }, ["idleAfterSeconds"]);
    const { page } = await t.query(api.console.audit.list, { session, paginationOpts });
    expect(page[0]).toMatchObject({
      at: Date.now(),
      actor: "member",
      by: "Owner",
      action: "policy.changed",
      subject: "all devices",
      name: null,
      detail: "Idle after: not set → 5 minutes, locked",
    });
  });
});

describe("a group's policy", () => {
  it("overrides the organization's rules on a group's devices, each with its lock", async () => {
    const other = await addDevice(t, acme, "other");
    await join(["lab"]);
    await save({ idleAfterSeconds: 300, quiet: true }, ["idleAfterSeconds", "quiet"]);
    await save({ idleAfterSeconds: 60 }, ["allowMetered"], { group: "lab" });
    expect(await held()).toEqual({
      values: { quiet: true, idleAfterSeconds: 60 },
      locked: ["quiet", "allowMetered"],
    });
    expect((await held(other)).values).toEqual({ idleAfterSeconds: 300, quiet: true });
    expect(await t.query(api.console.policy.groups, { session })).toEqual([{ group: "lab", rules: 2 }]);
    await join([]);
    expect((await held()).values).toEqual({ idleAfterSeconds: 300, quiet: true });
  });

  it("prefers the group that comes first in the alphabet", async () => {
    await join(["b", "a"]);
    await save({ idleAfterSeconds: 60 }, [], { group: "b" });
    await save({ idleAfterSeconds: 90, quiet: true }, [], { group: "a" });
    expect((await held()).values).toEqual({ idleAfterSeconds: 90, quiet: true });
  });

  it("bounds the names of groups, and their number to fifty", async () => {
    await expectRefusal(save({ quiet: true }, [], { group: "x".repeat(121) }), "invalid");
    for (let at = 0; at < 50; at += 1) await save({ quiet: true }, [], { group: `g${String(at)}` });
    await expectRefusal(save({ quiet: true }, [], { group: "one more" }), "conflict");
    await save({ quiet: false }, [], { group: "g7", baseVersion: 1 });
    expect(await t.query(api.console.policy.groups, { session })).toHaveLength(50);
  });
});

describe("access to a policy", () => {
  it("hides a policy from another organization, which cannot change it", async () => {
    await save({ quiet: true }, ["quiet"]);
    const rival = await addOrganization(t, { name: "Rival" });
    const theirs = await signIn(t, rival);
    const nothing = { values: {}, locked: [] };
    expect(await t.query(api.console.policy.get, { session: theirs, group: "" })).toMatchObject({
      version: 0,
    });
    expect(await held(await addDevice(t, rival))).toEqual(nothing);
    const change = { session: theirs, group: "", baseVersion: 1, rules: nothing };
    await expectRefusal(t.mutation(api.console.policy.save, change), "conflict");
    const restore = { session: theirs, group: "", baseVersion: 0, version: 1 };
    await expectRefusal(t.mutation(api.console.policy.restore, restore), "not_found");
    expect((await held()).values).toEqual({ quiet: true });
  });

  it("refuses to read or change a policy without a session", async () => {
    const nobody = { session: secret("gs_"), group: "" };
    await expectRefusal(t.query(api.console.policy.get, nobody), "unauthorized");
    await expectRefusal(t.query(api.console.policy.groups, { session: nobody.session }), "unauthorized");
    const rules = { values: {}, locked: [] };
    await expectRefusal(
      t.mutation(api.console.policy.save, { ...nobody, baseVersion: 0, rules }),
      "unauthorized",
    );
    const restore = { ...nobody, baseVersion: 0, version: 0 };
    await expectRefusal(t.mutation(api.console.policy.restore, restore), "unauthorized");
  });
});
