import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { breaks, comfortableHour } from "../../app/comfort/hour.fixture.ts";
import { type ComfortHour, hourMs, hourOf } from "../../app/comfort/hour.ts";
import { api, internal } from "../_generated/api.js";
import {
  addDevice,
  addOrganization,
  type Backend,
  type Device,
  expectRefusal,
  type Organization,
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

/** An hour of donation that ended so many hours ago. */
const hourAgo = (hours: number, measured: Partial<ComfortHour> = {}): ComfortHour => ({
  ...comfortableHour(0, measured),
  startAt: hourOf(Date.now()) - (hours + 1) * hourMs,
});
const report = async (hours: ComfortHour[], { key }: Device = device) =>
  await t.mutation(api.devices.reportComfort, { key, hours });
/** The work of the timer in the next minute. */
async function count({ organizationId }: Organization = acme): Promise<void> {
  vi.setSystemTime(Date.now() + 60_000);
  await t.mutation(internal.maintenance.countStatisticsOf, { organizationId });
}
const week = async (by = session) =>
  await t.query(api.console.fleet.comfort.week, { session: by, until: Date.now() });
const hoursOf = async ({ deviceId }: Device, by = session) =>
  await t.query(api.console.fleet.comfort.ofDevice, { session: by, deviceId });

const join = async (role: "auditor" | "donor"): Promise<string> =>
  (await joinAs(t, session, { name: role, roles: [role] })).session;

describe("the comfort of a fleet", () => {
  it("is the share of donated hours that kept every promise, with the worst devices", async () => {
    const other = await addDevice(t, acme, "hot laptop");
    expect(await week()).toMatchObject({ hours: 0, isKept: null, worst: [] });
    await report([hourAgo(2), hourAgo(1), hourAgo(0, breaks.delay)]);
    await report([hourAgo(1, breaks.heat), hourAgo(0, { ...breaks.heat, ...breaks.yields })], other);
    await count();
    expect(await week()).toEqual({
      target: 0.99,
      hours: 5,
      keptHours: 2,
      isKept: false,
      broken: { yields: 1, delay: 1, heat: 2, battery: 0 },
      worst: [
        {
          deviceId: other.deviceId,
          name: "hot laptop",
          brokenHours: 2,
          broken: { yields: 1, delay: 0, heat: 2, battery: 0 },
        },
        {
          deviceId: device.deviceId,
          name: "laptop",
          brokenHours: 1,
          broken: { yields: 0, delay: 1, heat: 0, battery: 0 },
        },
      ],
    });
  });

  it("counts each hour once, however often it is reported and counted", async () => {
    await report([hourAgo(1), hourAgo(0)]);
    await report([hourAgo(0, breaks.heat)]);
    await count();
    await report([hourAgo(0)]);
    await count();
    await count();
    expect(await week()).toMatchObject({ hours: 2, keptHours: 2, isKept: true });
  });

  it("leaves out hours that are long ago or not over yet", async () => {
    await report([hourAgo(24 * 9), hourAgo(-1), hourAgo(0)]);
    await count();
    expect(await week()).toMatchObject({ hours: 1 });
    expect(await hoursOf(device)).toHaveLength(1);
  });

  it("needs attention if the objective is missed by two hours or more", async () => {
    const kinds = async (): Promise<readonly string[]> => {
      const { organizationId } = acme;
      await t.mutation(internal.fleet.steps.watchAttention, { organizationId });
      return (await t.query(api.console.overview.attention, { session })).map(({ kind }) => kind);
    };
    await report([hourAgo(2), hourAgo(1), hourAgo(0, breaks.delay)]);
    await count();
    expect(await kinds()).not.toContain("comfort-missed");
    await report([hourAgo(3, breaks.delay)]);
    await count();
    expect(await kinds()).toContain("comfort-missed");
  });

  it("counts more hours than fit into one piece", async () => {
    const devices = [device, await addDevice(t, acme, "two"), await addDevice(t, acme, "three")];
    for (const each of devices)
      for (let back = 0; back < 120; back += 24)
        await report(
          Array.from({ length: 24 }, (_, at) => hourAgo(back + at)),
          each,
        );
    await count();
    await t.finishInProgressScheduledFunctions();
    await count();
    expect(await week()).toMatchObject({ hours: 360 });
  });

  it("forgets the hours of devices after some days, and days after a month", async () => {
    await report([hourAgo(0)]);
    await count();
    vi.setSystemTime(Date.now() + 10 * 24 * hourMs);
    await report([hourAgo(0, breaks.heat)]);
    await count();
    expect((await hoursOf(device)).map(({ hotSeconds }) => hotSeconds)).toEqual([60]);
    expect(await week()).toMatchObject({ hours: 1 });
    vi.setSystemTime(Date.now() + 36 * 24 * hourMs);
    await report([hourAgo(0)]);
    await count();
    expect(await t.run(async (ctx) => (await ctx.db.query("comfortDays").collect()).length)).toBe(1);
  });
});

describe("a report of hours", () => {
  it("has no count of stops, and that of earlier versions is not shown", async () => {
    await report([hourAgo(0)]);
    await t.run(async (ctx) => {
      const row = await ctx.db.query("comfortHours").first();
      await ctx.db.patch("comfortHours", row!._id, { yields: 3 });
    });
    expect(await hoursOf(device)).toEqual([hourAgo(0)]);
  });

  it("is refused out of bounds, without the device's key, and from a retired device", async () => {
    for (const wrong of [{ donatedSeconds: 3_601 }, { yieldP95Ms: -1 }, { step: 9 }, { startAt: 5 }])
      await expectRefusal(report([{ ...hourAgo(0), ...wrong }]), "invalid");
    await expectRefusal(report(Array.from({ length: 25 }, (_, at) => hourAgo(at))), "invalid");
    await expectRefusal(report([hourAgo(0)], { ...device, key: "gd_x" }), "unauthorized");
    await t.mutation(api.console.devices.retire, { session, deviceId: device.deviceId });
    await expectRefusal(report([hourAgo(0)]), "retired");
    expect(await hoursOf(device)).toEqual([]);
  });

  it("is shown newest first to those who may see the device, and to nobody else", async () => {
    await report([hourAgo(1), hourAgo(0, breaks.heat)]);
    expect((await hoursOf(device)).map(({ hotSeconds }) => hotSeconds)).toEqual([60, 0]);
    expect(await hoursOf(device, await join("auditor"))).toHaveLength(2);
    await expectRefusal(hoursOf(device, await join("donor")), "not_found");
    await expectRefusal(week(await join("donor")), "forbidden");
    const globex = await addOrganization(t, { name: "Globex" });
    const theirs = await signIn(t, globex);
    await expectRefusal(hoursOf(device, theirs), "not_found");
    await count();
    expect(await week(theirs)).toMatchObject({ hours: 0 });
  });
});
