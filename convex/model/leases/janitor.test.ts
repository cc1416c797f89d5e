import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { maxFailedAttempts, times } from "../../../app/jobs/limits.ts";
import { api, internal } from "../../_generated/api.js";
import {
  addDevice,
  addOrganization,
  type Backend,
  claim,
  complete,
  type Device,
  expectBooksInOrder,
  type Organization,
  startBackend,
  statusOf,
  submit,
} from "../../testing/backend.fixture.ts";

let t: Backend;
let acme: Organization;
let device: Device;

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startBackend();
  acme = await addOrganization(t);
  device = await addDevice(t, acme);
});

afterEach(async () => {
  await expectBooksInOrder(t);
  vi.useRealTimers();
});

async function pass(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms);
  await t.finishInProgressScheduledFunctions();
}

async function lease() {
  return await t.run(async (ctx) => {
    const row = await ctx.db
      .query("leases")
      .withIndex("by_device", (q) => q.eq("deviceId", device.deviceId))
      .unique();
    if (row === null) throw new Error("no lease");
    return row;
  });
}

async function pendingLooks(): Promise<number> {
  return await t.run(async (ctx) => {
    const scheduled = await ctx.db.system.query("_scheduled_functions").collect();
    return scheduled.filter(({ name, state }) => name.includes("checkLease") && state.kind === "pending")
      .length;
  });
}

describe("the janitor", () => {
  it("takes the jobs of a silent device when its lease runs out, not before", async () => {
    const jobId = await submit(t, acme);
    const attemptId = await claim(t, device, jobId);
    await pass(times.leaseMs - 1);
    expect(await statusOf(t, acme, jobId)).toBe("running");
    await pass(1);
    expect(await statusOf(t, acme, jobId)).toBe("ready");
    expect(await complete(t, device, attemptId)).toEqual({ kind: "fenced" });
    expect((await lease()).armed).toBe(false);
    const attempt = await t.run(async (ctx) => await ctx.db.get("attempts", attemptId));
    expect(attempt).toMatchObject({ status: "lost", endedAt: Date.now() });
  });

  it("looks again at the new deadline when the lease was extended", async () => {
    const jobId = await submit(t, acme);
    await claim(t, device, jobId);
    await pass(20_000);
    await t.mutation(api.devices.heartbeat, { deviceKey: device.deviceKey });
    await pass(10_000);
    expect(await statusOf(t, acme, jobId)).toBe("running");
    expect((await lease()).armed).toBe(true);
    expect(await pendingLooks()).toBe(1);
    await pass(19_999);
    expect(await statusOf(t, acme, jobId)).toBe("running");
    await pass(1);
    expect(await statusOf(t, acme, jobId)).toBe("ready");
  });

  it("keeps the jobs of a device that heartbeats for an hour", async () => {
    const jobId = await submit(t, acme);
    const attemptId = await claim(t, device, jobId);
    for (let elapsed = 0; elapsed < 3_600_000; elapsed += times.heartbeatHoldingMs) {
      await pass(times.heartbeatHoldingMs);
      await t.mutation(api.devices.heartbeat, { deviceKey: device.deviceKey });
    }
    expect(await pendingLooks()).toBe(1);
    expect(await complete(t, device, attemptId)).toMatchObject({ kind: "settled" });
  });

  it("is armed once however many jobs are held, and rests when none is", async () => {
    const attempts = [];
    for (let i = 0; i < 3; i += 1) attempts.push(await claim(t, device, await submit(t, acme)));
    expect(await pendingLooks()).toBe(1);
    for (const attemptId of attempts) await complete(t, device, attemptId);
    await pass(times.leaseMs);
    expect((await lease()).armed).toBe(false);
    expect(await pendingLooks()).toBe(0);
    await claim(t, device, await submit(t, acme));
    expect(await pendingLooks()).toBe(1);
  });

  it("fails a job that was lost as often as a job may be", async () => {
    const jobId = await submit(t, acme);
    for (let i = 0; i < maxFailedAttempts; i += 1) {
      expect(await statusOf(t, acme, jobId)).toBe("ready");
      await claim(t, device, jobId);
      await pass(times.leaseMs);
    }
    const view = await t.query(api.requests.watch, { apiKey: acme.apiKey, jobId });
    expect(view).toMatchObject({ status: "failed", error: { code: "device_lost" } });
  });

  it("gives one more lease when the backend itself was away at the deadline", async () => {
    const jobId = await submit(t, acme);
    await claim(t, device, jobId);
    const { expiresAt } = await lease();
    vi.setSystemTime(expiresAt + 3_600_000);
    const look = { deviceId: device.deviceId, deadline: expiresAt, graced: false };
    await t.mutation(internal.maintenance.checkLease, look);
    expect(await statusOf(t, acme, jobId)).toBe("running");
    await t.mutation(internal.maintenance.checkLease, {
      ...look,
      deadline: Date.now() + times.leaseMs,
      graced: true,
    });
    expect(await statusOf(t, acme, jobId)).toBe("ready");
  });

  it("writes no lease for a device that calls often", async () => {
    await claim(t, device, await submit(t, acme));
    const before = await lease();
    await pass(5_000);
    await t.mutation(api.devices.heartbeat, { deviceKey: device.deviceKey });
    expect(await lease()).toEqual(before);
  });
});

describe("presence", () => {
  const online = async () =>
    (await t.run(async (ctx) => await ctx.db.get("devices", device.deviceId)))?.online;

  it("ends when nothing was heard for long, and comes back with the next call", async () => {
    expect(await online()).toBe(true);
    await pass(times.offlineAfterMs);
    expect(await online()).toBe(false);
    await t.mutation(api.devices.heartbeat, { deviceKey: device.deviceKey });
    expect(await online()).toBe(true);
    await pass(times.offlineAfterMs);
    expect(await online()).toBe(false);
  });

  it("lasts while idle heartbeats come", async () => {
    for (let i = 0; i < 10; i += 1) {
      await pass(times.heartbeatIdleMs);
      expect(await online()).toBe(true);
      await t.mutation(api.devices.heartbeat, { deviceKey: device.deviceKey });
    }
  });
});
