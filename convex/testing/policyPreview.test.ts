import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { api, internal } from "../_generated/api.js";
import {
  addDevice,
  addOrganization,
  type Backend,
  type Device,
  expectRefusal,
  type Organization,
  pass,
  signIn,
} from "./backend.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;
let device: Device;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  device = await addDevice(t, acme);
});

afterEach(closeWorld);

const totals = { recorded: 600, happened: 300, now: 290, draft: 60, nowSpans: 4, draftSpans: 1, unsure: 0 };
const draft = { rules: { values: { idleAfterSeconds: 900 }, locked: [] as string[] } };
const start = async (group = "", by = session, wanted: typeof draft | { version: number } = draft) =>
  (await t.mutation(api.console.policy.startPreview, { session: by, group, draft: wanted })).previewId;
const asked = async ({ key }: Device = device) => await t.query(api.devices.policyPreviews, { key });
const answer = async (
  previewId: Awaited<ReturnType<typeof start>>,
  { key }: Device = device,
  given: typeof totals | null = totals,
) => await t.mutation(api.devices.answerPreview, { key, previewId, answer: given });
const seen = async (by = session) => await t.query(api.console.policy.preview, { session: by });
const join = async (groups: string[], { deviceId }: Device) =>
  await t.mutation(api.console.devices.label, { session, deviceId, groups, dataClasses: [] });

describe("a preview of rules", () => {
  it("asks the devices of a group for the rules that they would have", async () => {
    const lab = await addDevice(t, acme, "lab");
    await join(["Lab"], lab);
    await t.mutation(api.console.policy.save, {
      session,
      group: "",
      baseVersion: 0,
      rules: { values: { quiet: true }, locked: [] },
    });
    expect(await asked(lab)).toEqual([]);
    const previewId = await start("Lab");
    expect(await asked()).toEqual([]);
    const rules = { values: { quiet: true, idleAfterSeconds: 900 }, locked: [] };
    expect(await asked(lab)).toMatchObject([{ previewId, rules }]);
    expect((await t.query(api.devices.me, { key: lab.key })).policy.values).toEqual({ quiet: true });
  });

  it("adds up each device's answer once, and counts apart those without a record", async () => {
    const others = [await addDevice(t, acme, "b"), await addDevice(t, acme, "c")];
    const previewId = await start();
    await answer(previewId);
    await answer(previewId);
    await answer(previewId, others[0], { ...totals, draft: 0 });
    await answer(previewId, others[1], null);
    expect((await seen())?.sums).toEqual({
      devices: 2,
      withoutRecord: 1,
      recorded: 1_200,
      happened: 600,
      now: 580,
      draft: 60,
      nowSpans: 8,
      draftSpans: 2,
      unsure: 0,
      nowNever: 0,
      draftNever: 1,
    });
  });

  it("bounds what a device says", async () => {
    const previewId = await start();
    await answer(previewId, device, { ...totals, recorded: 1e15, draft: 1e15, now: -1e15 });
    expect((await seen())?.sums).toMatchObject({ recorded: 10_080, draft: 10_080, now: 0 });
  });

  it("counts the devices that are online and offline, and not those that get no jobs", async () => {
    const off = await addDevice(t, acme, "off");
    const retired = await addDevice(t, acme, "retired");
    await t.mutation(api.work.goodbye, { key: off.key });
    await t.mutation(api.console.devices.retire, { session, deviceId: retired.deviceId });
    await start();
    expect((await seen())?.fleet).toBeNull();
    await pass(t, 1_000);
    expect((await seen())?.fleet).toEqual({ online: 1, offline: 1 });
  });

  it("has an end, after which no answer counts", async () => {
    const previewId = await start();
    await pass(t, 61_000);
    expect(await asked()).toEqual([]);
    await answer(previewId);
    expect(await seen()).toMatchObject({ isOpen: false, sums: { devices: 0 } });
    await pass(t, 3_700_000);
    expect(await seen()).toBeNull();
    const left = await t.run(async (ctx) => await ctx.db.query("policyPreviewFleets").collect());
    expect(left).toEqual([]);
  });

  it("takes the place of the member's last one, and only a few are open at once", async () => {
    const first = await start();
    await answer(first);
    const second = await start();
    expect(await asked()).toMatchObject([{ previewId: second }]);
    expect(await seen()).toMatchObject({ previewId: second, sums: { devices: 0 } });
    for (const name of ["a", "b", "c", "d"]) {
      await start("", (await joinAs(t, session, { name, roles: ["admin"] })).session);
    }
    const { session: late } = await joinAs(t, session, { name: "e", roles: ["admin"] });
    await expectRefusal(start("", late), "rate_limited");
    expect(await seen(late)).toBeNull();
  });

  it("of an earlier version asks for its rules, and refuses wrong rules and unknown versions", async () => {
    await start("", session, { version: 0 });
    expect((await asked())[0]?.rules).toEqual({ values: {}, locked: [] });
    await expectRefusal(start("", session, { version: 7 }), "not_found");
    const wrong = { rules: { values: { idleAfterSeconds: 1 }, locked: [] } };
    await expectRefusal(start("", session, wrong), "invalid");
  });

  it("is not for devices of other groups or organizations, or retired ones", async () => {
    const rival = await addOrganization(t, { name: "Rival" });
    const theirs = await addDevice(t, rival);
    const previewId = await start("Lab");
    await answer(previewId);
    await answer(previewId, theirs);
    expect((await seen())?.sums.devices).toBe(0);
    expect(await asked(theirs)).toEqual([]);
    expect(await seen(await signIn(t, rival))).toBeNull();
    await t.mutation(api.console.devices.retire, { session, deviceId: device.deviceId });
    await start();
    expect(await asked()).toEqual([]);
    await expectRefusal(answer(previewId), "retired");
  });

  it("spreads the answers of a large fleet over time, and their sums over a few rows", async () => {
    expect((await asked()).length).toBe(0);
    await t.run(async (ctx) => {
      const row = (await ctx.db.query("deviceCounts").collect())[0];
      if (row !== undefined) await ctx.db.delete("deviceCounts", row._id);
    });
    await t.action(internal.fleet.steps.followFleet, { organizationId: acme.organizationId });
    await t.run(async (ctx) => {
      const row = (await ctx.db.query("deviceCounts").collect())[0]!;
      await ctx.db.patch("deviceCounts", row._id, { states: { ...row.states, standby: 3_000 } });
    });
    const previewId = await start();
    expect((await asked())[0]?.spreadMs).toBeGreaterThan(19_000);
    for (let at = 0; at < 40; at++) await answer(previewId, await addDevice(t, acme, `d${String(at)}`));
    const rows = await t.run(async (ctx) => await ctx.db.query("policyPreviewSums").collect());
    expect(rows.length).toBeGreaterThan(12);
    expect(rows.length).toBeLessThanOrEqual(32);
    expect((await seen())?.sums.devices).toBe(40);
  });
});

describe("a reason", () => {
  const save = async (baseVersion: number, reason?: string) =>
    await t.mutation(api.console.policy.save, {
      session,
      group: "",
      baseVersion,
      rules: { values: { idleAfterSeconds: 300 + baseVersion }, locked: [] },
      ...(reason === undefined ? {} : { reason }),
    });

  it("is kept with the version, in the history and the audit trail", async () => {
    await save(0, "  Fans were loud ");
    await save(1);
    const { versions } = await t.query(api.console.policy.get, { session, group: "" });
    expect(versions.map(({ reason, by }) => [reason, by])).toEqual([
      [null, "Owner"],
      ["Fans were loud", "Owner"],
    ]);
    await t.mutation(api.console.policy.restore, {
      session,
      group: "",
      baseVersion: 2,
      version: 1,
      reason: "It was right",
    });
    const restored = await t.query(api.console.policy.get, { session, group: "" });
    expect(restored.versions[0]?.reason).toBe("It was right");
    const { page } = await t.query(api.console.audit.list, {
      session,
      paginationOpts: { numItems: 5, cursor: null },
    });
    expect(page[0]?.detail).toContain("Reason: It was right");
    await expectRefusal(save(3, "x".repeat(301)), "invalid");
    await expectRefusal(save(3, "a\u202eb"), "invalid");
  });
});
