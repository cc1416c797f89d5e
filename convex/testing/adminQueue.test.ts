import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { changeHeldMs } from "../../app/jobs/limits.ts";
import { api } from "../_generated/api.js";
import { queue } from "../model/queue.ts";
import { metricsText } from "../model/statistics/metrics.ts";
import {
  addDevice,
  allJobs,
  type Backend,
  claim,
  complete,
  expectBooksInOrder,
  expectRefusal,
  fail,
  listKeys,
  modelId,
  type Organization,
  pass,
  statusOf,
  submit,
  take,
} from "./backend.fixture.ts";
import { listDevices } from "./listDevices.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;
const paginationOpts = { numItems: 50, cursor: null };

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(async () => {
  await expectBooksInOrder(t);
  closeWorld();
});

/** Runs functions that are scheduled for now. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await pass(t, 10);
}

async function onlyLane() {
  const { lanes } = await t.query(api.console.queue.stats, { session });
  expect(lanes).toHaveLength(1);
  const [lane] = lanes;
  if (lane === undefined) throw new Error("no lane");
  return lane;
}

const auditOf = async () => {
  const { page } = await t.query(api.console.audit.list, { session, paginationOpts });
  return page.map(({ action, subject }) => `${action} ${subject}`);
};

describe("lanes", () => {
  it("pauses, drains and opens a lane, with entries in the audit trail", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    const { laneId, name, requirements, state } = await onlyLane();
    expect({ requirements, state }).toEqual({ requirements: { model: modelId }, state: "open" });

    await t.mutation(api.console.queue.setLaneState, { session, laneId, state: "paused" });
    expect(await take(t, device)).toEqual([]);
    expect((await onlyLane()).state).toBe("paused");

    await t.mutation(api.console.queue.setLaneState, { session, laneId, state: "draining" });
    await expectRefusal(submit(t, acme), "draining");
    const [job] = await take(t, device);
    expect(job?.jobId).toBe(jobId);
    await complete(t, device, job?.attemptId ?? "");

    await t.mutation(api.console.queue.setLaneState, { session, laneId, state: "open" });
    await submit(t, acme);
    expect((await auditOf()).slice(0, 4)).toEqual([
      `lane.opened ${name}`,
      `lane.draining ${name}`,
      `lane.paused ${name}`,
      expect.stringContaining("device.enrolled"),
    ]);
  });
});

describe("limits of an API key", () => {
  it("holds back jobs beyond a key's limit until others have ended", async () => {
    const device = await addDevice(t, acme);
    const [key] = await listKeys(t, session);
    if (key === undefined) throw new Error("no key");
    expect(key).toMatchObject({ concurrency: null, weight: 1 });
    await t.mutation(api.console.keys.setLimit, { session, keyId: key.keyId, concurrency: 1, weight: 4 });
    expect(await listKeys(t, session)).toMatchObject([{ concurrency: 1, weight: 4 }]);
    const jobs = [await submit(t, acme), await submit(t, acme)];
    await settle();
    const [first, ...more] = await take(t, device, 2);
    expect(more).toEqual([]);
    expect(first?.jobId).toBe(jobs[0]);
    expect(await statusOf(t, acme, jobs[1] ?? "")).toBe("waiting");
    await complete(t, device, first?.attemptId ?? "");
    await settle();
    expect(await take(t, device)).toMatchObject([{ jobId: jobs[1] }]);

    await t.mutation(api.console.keys.setLimit, {
      session,
      keyId: key.keyId,
      concurrency: null,
      weight: null,
    });
    expect(await listKeys(t, session)).toMatchObject([{ concurrency: null, weight: 1 }]);
    expect(await auditOf()).toContain(`limit.set ${key.keyId}`);
  });

  it("refuses limits that are no whole numbers within bounds", async () => {
    const [key] = await listKeys(t, session);
    if (key === undefined) throw new Error("no key");
    const { keyId } = key;
    const set = async (concurrency: number | null, weight: number | null) =>
      await t.mutation(api.console.keys.setLimit, { session, keyId, concurrency, weight });
    await expectRefusal(set(0, 1), "invalid");
    await expectRefusal(set(1.5, 1), "invalid");
    // The queue's own bound, in the app's words.
    await set(1_000, 1);
    await expect(set(1_001, 1)).rejects.toThrow("concurrency must be a whole number from 1 to 1000.");
    await expectRefusal(set(1, 17), "invalid");
  });
});

describe("groups and data classes", () => {
  it("sets a device's groups and data classes, and shows them", async () => {
    const { deviceId } = await addDevice(t, acme);
    const label = async (groups: string[], dataClasses: string[]) =>
      await t.mutation(api.console.devices.label, { session, deviceId, groups, dataClasses });
    await label(["second floor", " lab ", "lab"], ["medical"]);
    expect(await listDevices(t, session)).toMatchObject([
      { groups: ["lab", "second floor"], dataClasses: ["medical"] },
    ]);
    expect(await auditOf()).toContain(`device.labelled ${deviceId}`);
    await expectRefusal(label([" "], []), "invalid");
    await expectRefusal(label(Array.from({ length: 33 }, String), []), "invalid");
  });

  it("gives a key's jobs only to devices with its data class", async () => {
    const [key] = await listKeys(t, session);
    const { deviceId, ...device } = await addDevice(t, acme);
    await t.run(async (ctx) => {
      if (key !== undefined) await ctx.db.patch("apiKeys", key.keyId, { dataClass: "medical" });
    });
    expect(await listKeys(t, session)).toMatchObject([{ dataClass: "medical" }]);
    // Without any such device the job is refused.
    const other = await addDevice(t, acme, "other");
    const medical = { groups: [], dataClasses: ["medical"] };
    await t.mutation(api.console.devices.label, { session, deviceId: other.deviceId, ...medical });
    const jobId = await submit(t, acme);
    expect(await take(t, device)).toEqual([]);
    await t.mutation(api.console.devices.label, {
      session,
      deviceId,
      groups: [],
      dataClasses: ["medical"],
    });
    expect(await take(t, device)).toMatchObject([{ jobId }]);
  });
});

describe("dead letters", () => {
  async function deadLetter(): Promise<string> {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme, { content: "a very private question" });
    await fail(t, device, await claim(t, device, jobId), { retryable: false });
    return jobId;
  }

  const deadLetters = async () =>
    (await t.query(api.console.jobs.deadLetters, { session, paginationOpts })).page;

  it("lists dead letters with their error, but without their prompt", async () => {
    const jobId = await deadLetter();
    const listed = await deadLetters();
    expect(listed).toMatchObject([
      { jobId, status: "failed", keyName: "first key", error: { code: "context_length_exceeded" } },
    ]);
    expect(JSON.stringify(listed)).not.toContain("private");
  });

  it("retries a dead letter, which another device finishes", async () => {
    const jobId = await deadLetter();
    expect(await t.mutation(api.console.jobs.retryDeadLetter, { session, jobId })).toEqual({ kind: "ready" });
    expect(await deadLetters()).toEqual([]);
    const other = await addDevice(t, acme, "other");
    const [job] = await take(t, other);
    expect(job?.jobId).toBe(jobId);
    await complete(t, other, job?.attemptId ?? "");
    expect(await statusOf(t, acme, jobId)).toBe("succeeded");
    expect(await auditOf()).toContain(`dead-letter.retried ${jobId}`);
  });

  it("does not retry a discarded dead letter", async () => {
    const jobId = await deadLetter();
    await t.mutation(api.console.jobs.changeSoon, { session, act: "discard", jobIds: [jobId] });
    await pass(t, changeHeldMs);
    expect(await deadLetters()).toEqual([]);
    expect(await t.mutation(api.console.jobs.retryDeadLetter, { session, jobId })).toEqual({ kind: "gone" });
    expect(await t.run(async (ctx) => await queue.payload(ctx, acme.organizationId, jobId))).toBeNull();
    expect(await auditOf()).toContain(`dead-letter.discarded ${jobId}`);
  });

  it("retries all dead letters in batches", async () => {
    const device = await addDevice(t, acme);
    for (let i = 0; i < 60; i += 1) {
      await fail(t, device, await claim(t, device, await submit(t, acme)), { retryable: false });
    }
    await t.mutation(api.console.jobs.retryAllSoon, { session });
    await pass(t, changeHeldMs);
    await settle();
    const statuses = (await allJobs(t, acme)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set(["ready"]));
    expect(statuses).toHaveLength(60);
    expect(await auditOf()).toContain("dead-letters.retried all");
  });

  it("does not retry a dead letter of a revoked key", async () => {
    const jobId = await deadLetter();
    const [key] = await listKeys(t, session);
    if (key !== undefined) await t.mutation(api.console.keys.revoke, { session, keyId: key.keyId });
    expect(await t.mutation(api.console.jobs.retryDeadLetter, { session, jobId })).toEqual({
      kind: "revoked",
    });
    await t.mutation(api.console.jobs.retryAllSoon, { session });
    await pass(t, changeHeldMs);
    expect(await statusOf(t, acme, jobId)).toBe("failed");
  });

  it("does not retry a dead letter of a key that has expired", async () => {
    const jobId = await deadLetter();
    const [key] = await listKeys(t, session);
    const expiresAt = Date.now();
    await t.run(async (ctx) => await ctx.db.patch("apiKeys", key!.keyId, { expiresAt }));
    const retried = await t.mutation(api.console.jobs.retryDeadLetter, { session, jobId });
    expect(retried).toEqual({ kind: "revoked" });
  });
});

it("refuses the admin's calls on the queue without a session", async () => {
  const nobody = { session: "gs_nobody" };
  await expectRefusal(t.query(api.console.queue.stats, nobody), "unauthorized");
  await expectRefusal(t.query(api.console.jobs.deadLetters, { ...nobody, paginationOpts }), "unauthorized");
  await expectRefusal(t.mutation(api.console.jobs.retryAllSoon, nobody), "unauthorized");
  const job = { ...nobody, jobId: "x" };
  await expectRefusal(t.mutation(api.console.jobs.retryDeadLetter, job), "unauthorized");
  const discard = { ...nobody, act: "discard" as const, jobIds: ["x"] };
  await expectRefusal(t.mutation(api.console.jobs.changeSoon, discard), "unauthorized");
});

it("counts the queue's jobs at once, the same for the console and for Prometheus", async () => {
  const device = await addDevice(t, acme);
  await submit(t, acme);
  await submit(t, acme);
  await claim(t, device, await submit(t, acme));
  const exactly = (count: number) => ({ count, exact: true });
  const depth = await t.query(api.console.queue.stats, { session });
  const counts = { ready: exactly(2), waiting: exactly(0), running: exactly(1) };
  expect(depth).toMatchObject({ ...counts, lanes: [counts] });
  const metrics = await t.run(async (ctx) => await metricsText(ctx, acme.organizationId));
  expect(metrics).toMatch(/gleaner_queue_jobs\{[^}]*state="ready"[^}]*\} 2\n/);
  expect(metrics).toMatch(/gleaner_queue_jobs\{[^}]*state="running"[^}]*\} 1\n/);
});

it("tells since when the oldest job is ready at once, before any count", async () => {
  const device = await addDevice(t, acme);
  const at = Date.now();
  const first = await submit(t, acme);
  vi.setSystemTime(at + 5_000);
  const second = await submit(t, acme);
  expect(await onlyLane()).toMatchObject({ oldestReadyAt: at, waits: null, countedAt: null });
  await claim(t, device, first);
  expect((await onlyLane()).oldestReadyAt).toBe(at + 5_000);
  await t.mutation(api.console.jobs.cancel, { session, jobId: second });
  expect((await onlyLane()).oldestReadyAt).toBeNull();
});

it("tells the name of whoever paused a lane", async () => {
  await addDevice(t, acme);
  await submit(t, acme);
  const { laneId } = await onlyLane();
  const paused = { session, laneId, state: "paused" as const };
  await t.mutation(api.console.queue.setLaneState, paused);
  const me = await t.query(api.console.account.me, { session });
  expect(await onlyLane()).toMatchObject({ stateBy: me?.member.name, stateAt: Date.now() });
});
