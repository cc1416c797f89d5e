import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import {
  addDevice,
  answer,
  type Backend,
  completeWith,
  type Device,
  expectRefusal,
  type Organization,
  submit,
  take,
} from "./backend.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;
let device: Device;

const hourMs = 3_600_000;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  device = await addDevice(t, acme, "Ada's laptop");
});

afterEach(closeWorld);

async function pause(by: string, wish: { until?: number; finish?: boolean } = {}): Promise<void> {
  const { until = null, finish = false } = wish;
  await t.mutation(api.console.devices.pause, { session: by, deviceId: device.deviceId, until, finish });
}

const resume = async (by: string) =>
  await t.mutation(api.console.devices.endPause, { session: by, deviceId: device.deviceId });
const me = async () => await t.query(api.devices.me, { key: device.key });
const row = async () => await t.query(api.console.devices.get, { session, deviceId: device.deviceId });

async function addOwner(): Promise<string> {
  const donor = await joinAs(t, session, { name: "Ada", roles: ["donor"] });
  await own(donor.memberId);
  return donor.session;
}

async function own(owner: Id<"members">): Promise<void> {
  await t.mutation(api.console.devices.setOwner, { session, deviceId: device.deviceId, owner });
}

/** Lets scheduled functions run that are due within `ms`. */
async function pass(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms);
  await t.finishInProgressScheduledFunctions();
}

it("tells the device at once that a person paused it, and returns its jobs", async () => {
  await submit(t, acme);
  expect(await take(t, device)).toHaveLength(1);
  await pause(session);
  expect(await me()).toMatchObject({ status: "paused", requestedPause: { until: null } });
  expect(await row()).toMatchObject({ status: "paused", jobsNow: 0, pause: null });
  await expect(take(t, device)).rejects.toThrow("paused");
  await resume(session);
  expect(await me()).toMatchObject({ status: "active", requestedPause: null });
  // The device does not get the same job again within a minute.
  await submit(t, acme);
  expect(await take(t, device)).toHaveLength(1);
});

it("lets an owner pause and resume their own device, and nobody else's", async () => {
  const ada = await addOwner();
  const stranger = await joinAs(t, session, { name: "Ben", roles: ["donor"] });
  await expectRefusal(pause(stranger.session), "not_found");
  await pause(ada);
  expect((await row()).requestedPause).toMatchObject({ by: "Ada", ofOrganization: false });
  await expectRefusal(resume(stranger.session), "not_found");
  await resume(ada);
  expect((await row()).status).toBe("active");
});

it("keeps a pause of the organization until somebody of it ends it", async () => {
  const ada = await addOwner();
  await pause(session);
  await expectRefusal(resume(ada), "forbidden");
  await expectRefusal(pause(ada, { until: Date.now() + hourMs }), "conflict");
  expect((await row()).requestedPause).toMatchObject({ ofOrganization: true, until: null });
  await resume(session);
  expect((await row()).status).toBe("active");
});

it("ends a pause at its time, but not a later pause", async () => {
  await pause(session, { until: Date.now() + hourMs });
  await pass(hourMs / 2);
  expect((await row()).status).toBe("paused");
  await pause(session, { until: Date.now() + hourMs });
  await pass(hourMs / 2 + 10);
  expect((await row()).status).toBe("paused");
  await pass(hourMs / 2);
  expect((await row()).status).toBe("active");
});

it("lets a device finish its jobs before it pauses, and gives it no more", async () => {
  await submit(t, acme);
  const [job] = await take(t, device);
  await submit(t, acme);
  await pause(session, { finish: true });
  expect(await me()).toMatchObject({ status: "active" });
  await expect(take(t, device)).rejects.toThrow("paused");
  await pass(5_001);
  expect(await row()).toMatchObject({ status: "active", jobsNow: 1, requestedPause: { finishing: true } });
  await completeWith(t, device, job!.attemptId, answer());
  await pass(5_001);
  expect(await me()).toMatchObject({ status: "paused" });
  expect((await row()).requestedPause).toMatchObject({ finishing: false });
});

it("notes who paused a device and who resumed it", async () => {
  await pause(session);
  await resume(session);
  const { page } = await t.query(api.console.audit.list, {
    session,
    paginationOpts: { numItems: 2, cursor: null },
  });
  expect(page.map(({ action }) => action)).toEqual(["device.pause-ended", "device.pause-asked"]);
});

it("refuses a pause into the past, and of a device that is not in service", async () => {
  await expectRefusal(pause(session, { until: Date.now() }), "invalid");
  await t.mutation(api.console.devices.retire, { session, deviceId: device.deviceId });
  await expectRefusal(pause(session), "conflict");
  await t.mutation(internal.maintenance.endPause, { deviceId: device.deviceId, at: 1 });
  expect((await row()).status).toBe("retired");
});
