import type { FunctionReturnType } from "convex/server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Range } from "../../app/statistics/spans.ts";
import { api, internal } from "../_generated/api.js";
import {
  addDevice,
  addOrganization,
  answerMicro,
  type Backend,
  claim,
  complete,
  type Device,
  expectBooksInOrder,
  expectRefusal,
  fail,
  greeting,
  modelId,
  type Organization,
  pass,
  release,
  signIn,
  submit,
  take,
} from "./backend.fixture.ts";
import { countStatistics } from "./statistics.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;
let device: Device;

const dayMs = 24 * 3_600_000;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  device = await addDevice(t, acme);
});

afterEach(closeWorld);

type Report = FunctionReturnType<typeof api.console.statistics.report>;
type By = "model" | "lane" | "key" | "device";

const reportBy = async (by: By, range: Range = "day", as = session): Promise<Report> =>
  await t.query(api.console.statistics.report, { session: as, by, range, until: Date.now() });

/** Jobs that were answered after some wait and some work; ms. */
async function answer({ wait = 1_000, run = 2_000 } = {}): Promise<void> {
  const jobId = await submit(t, acme);
  vi.setSystemTime(Date.now() + wait);
  const attemptId = await claim(t, device, jobId);
  vi.setSystemTime(Date.now() + run);
  await complete(t, device, attemptId);
}

const summaryBy = async (by: By, range: Range = "day") => {
  const { subjects } = await reportBy(by, range);
  expect(subjects).toHaveLength(1);
  return subjects[0]!;
};

const rowsOf = async (t: Backend) => await t.run(async (ctx) => await ctx.db.query("statistics").collect());

describe("the statistics of answered jobs", () => {
  it("have waits, runs, tokens and credits by model, lane, key and device", async () => {
    await answer();
    await answer({ wait: 4_000, run: 8_000 });
    await countStatistics(t, acme);
    const expected = {
      succeeded: 2,
      failed: 0,
      promptTokens: 20,
      completionTokens: 6,
      micro: 2n * answerMicro,
      successRate: 1,
    };
    for (const by of ["model", "lane", "key", "device"] as const) {
      const { summary } = await summaryBy(by);
      expect(summary).toMatchObject(expected);
      expect(summary.wait!.p50).toBeGreaterThanOrEqual(950);
      expect(summary.wait!.p50).toBeLessThanOrEqual(1_050);
      expect(summary.run!.p50).toBeLessThanOrEqual(2_100);
    }
    expect(await summaryBy("model")).toMatchObject({ subject: modelId, name: modelId });
    expect(await summaryBy("key")).toMatchObject({ name: "first key" });
    expect(await summaryBy("device")).toMatchObject({ subject: device.deviceId, name: "laptop" });
    expect((await summaryBy("lane")).subject).toMatch(/^\["chat",\{"model":"demo-1m"/);
    const ofSubject = async (subject: string) => {
      const wanted = { session, by: "model" as const, range: "day" as const, until: Date.now(), subject };
      return (await t.query(api.console.statistics.report, wanted)).points;
    };
    expect(await ofSubject(modelId)).toMatchObject([{ summary: { succeeded: 2 } }]);
    expect(await ofSubject("another")).toEqual([]);
    const { points, pointMs } = await reportBy("model");
    expect(pointMs).toBe(3_600_000);
    expect(points.map(({ summary }) => summary.succeeded)).toEqual([2]);
  });

  it("count each job once, however often the count runs", async () => {
    await answer();
    await countStatistics(t, acme);
    const before = await rowsOf(t);
    await countStatistics(t, acme);
    await t.mutation(internal.maintenance.countStatisticsOf, { organizationId: acme.organizationId });
    expect(await rowsOf(t)).toEqual(before);
    await answer();
    await countStatistics(t, acme);
    expect((await summaryBy("model")).summary).toMatchObject({ succeeded: 2 });
  });

  it("leave the newest seconds for the next count, since earlier mutations may still commit", async () => {
    await answer();
    await t.mutation(internal.maintenance.countStatisticsOf, { organizationId: acme.organizationId });
    expect((await reportBy("model")).subjects).toEqual([]);
    await countStatistics(t, acme);
    expect((await summaryBy("model")).summary).toMatchObject({ succeeded: 1 });
  });

  it("are counted by the cron, which goes on until all is counted", async () => {
    for (let job = 0; job < 110; job += 1) {
      const jobId = await submit(t, acme);
      await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId });
    }
    vi.setSystemTime(Date.now() + 60_000);
    await t.mutation(internal.maintenance.countStatistics, {});
    for (let step = 0; step < 4; step += 1) await pass(t, 10);
    expect((await summaryBy("model")).summary).toMatchObject({
      canceled: 110,
      successRate: null,
      wait: null,
    });
    expect((await reportBy("device")).subjects).toEqual([]);
    await expectBooksInOrder(t);
  });

  it("write nothing in the transactions of a job", async () => {
    await answer();
    expect(await rowsOf(t)).toEqual([]);
  });
});

describe("the statistics of other ends", () => {
  it("tell failures that were retried from the last one", async () => {
    const jobId = await submit(t, acme);
    await fail(t, device, await claim(t, device, jobId));
    await pass(t, 60_000);
    await complete(t, device, (await take(t, device))[0]!.attemptId);
    await countStatistics(t, acme);
    expect((await summaryBy("model")).summary).toMatchObject({ succeeded: 1, failed: 0, retried: 1 });
    expect((await summaryBy("device")).summary).toMatchObject({ succeeded: 1, failed: 1, successRate: 0.5 });
  });

  it("count what a device gave back, and what another took from its reserve", async () => {
    const { capabilities, ...said } = greeting();
    const able = { ...capabilities, concurrency: 1, prefetch: 2 };
    await t.mutation(api.work.hello, { key: device.key, capabilities: able, ...said });
    const [kept, stolen] = [await submit(t, acme), await submit(t, acme)];
    const held = await take(t, device, 2);
    expect(held.map(({ jobId }) => jobId).sort()).toEqual([kept, stolen].sort());
    const [running, reserve] = [held.find(({ begun }) => begun)!, held.find(({ begun }) => !begun)!];
    const thief = await addDevice(t, acme, "thief");
    const [taken] = await take(t, thief);
    expect(taken!.jobId).toBe(reserve.jobId);
    await complete(t, thief, taken!.attemptId);
    await release(t, device, running.attemptId);
    await pass(t, 60_000);
    const [again] = await take(t, thief);
    await complete(t, thief, again!.attemptId);
    await countStatistics(t, acme);
    const { summary } = await summaryBy("lane");
    expect(summary).toMatchObject({ succeeded: 2, returned: 2 });
    // The device that took the reserve may have found the other job in its own part of the queue.
    expect([1, 2]).toContain(summary.stolen);
    const byName = new Map(
      (await reportBy("device")).subjects.map(({ name, summary }) => [name, summary] as const),
    );
    expect(byName.get("laptop")).toMatchObject({ stolen: 0, returned: 2, succeeded: 0 });
    expect(byName.get("thief")).toMatchObject({ stolen: summary.stolen, returned: 0, succeeded: 2 });
  });

  it.each([["before the count"], ["after the count"]])(
    "count both rounds of a dead letter that was retried %s, each with its attempts",
    async (when) => {
      const jobId = await submit(t, acme);
      await fail(t, device, await claim(t, device, jobId), { retryable: false });
      if (when === "after the count") await countStatistics(t, acme);
      vi.setSystemTime(Date.now() + 60_000);
      expect(await t.mutation(api.console.jobs.retryDeadLetter, { session, jobId })).toEqual({
        kind: "ready",
      });
      vi.setSystemTime(Date.now() + 60_000);
      await complete(t, device, await claim(t, device, jobId));
      await countStatistics(t, acme);
      expect((await summaryBy("model")).summary).toMatchObject({
        failed: 1,
        succeeded: 1,
        retried: 0,
        successRate: 0.5,
      });
      const { subjects } = await reportBy("device");
      const sum = (of: "failed" | "succeeded") =>
        subjects.reduce((total, { summary }) => total + summary[of], 0);
      expect([sum("failed"), sum("succeeded")]).toEqual([1, 1]);
    },
  );
});

describe("old statistics", () => {
  it("become hours and days without losing a job, and are deleted", async () => {
    const start = Date.now();
    for (const hour of [0, 1, 5, 30, 31, 80]) {
      vi.setSystemTime(start + hour * 3_600_000);
      await answer();
      await countStatistics(t, acme);
    }
    expect((await summaryBy("model", "week")).summary).toMatchObject({ succeeded: 6 });
    expect((await summaryBy("device", "month")).summary).toMatchObject({ succeeded: 6 });
    expect((await summaryBy("key", "day")).summary).toMatchObject({ succeeded: 1 });
    const { points } = await reportBy("model", "week");
    expect(points).toHaveLength(6);
    expect((await reportBy("model", "month")).points.length).toBeLessThan(6);
    const lengths = (await rowsOf(t)).filter(({ by }) => by === "all").map(({ spanMs }) => spanMs);
    expect(new Set(lengths)).toEqual(new Set([300_000, 3_600_000, dayMs]));
    // The backend was off for longer than short buckets are kept.
    vi.setSystemTime(start + 90 * 3_600_000);
    await answer();
    vi.setSystemTime(start + 8 * dayMs);
    await countStatistics(t, acme);
    expect((await summaryBy("model", "month")).summary).toMatchObject({ succeeded: 7 });
    expect((await summaryBy("device", "month")).summary).toMatchObject({ succeeded: 7 });
    await answer();
    vi.setSystemTime(Date.now() + 3_600_000);
    await countStatistics(t, acme);
    const short = (await rowsOf(t)).filter(({ spanMs }) => spanMs === 300_000);
    expect(Math.min(...short.map(({ startAt }) => startAt))).toBeGreaterThanOrEqual(start + 8 * dayMs);
    expect((await summaryBy("model", "month")).summary).toMatchObject({ succeeded: 8 });
  });

  it("keep the sums of all time", async () => {
    await answer();
    await countStatistics(t, acme);
    vi.setSystemTime(Date.now() + 40 * dayMs);
    await answer();
    await countStatistics(t, acme);
    const [total] = (await rowsOf(t)).filter(({ spanMs }) => spanMs === 0);
    expect(total).toMatchObject({ by: "model", subjects: [{ subject: modelId, tally: { succeeded: 2 } }] });
    expect((await summaryBy("model", "month")).summary).toMatchObject({ succeeded: 1 });
  });
});

describe("reading statistics", () => {
  it("shows nothing of another organization", async () => {
    await answer();
    const rival = await addOrganization(t, { name: "Rival" });
    const rivals = await signIn(t, rival);
    await countStatistics(t, acme);
    await countStatistics(t, rival);
    expect(await reportBy("device", "day", rivals)).toMatchObject({ points: [], subjects: [] });
    await expectRefusal(reportBy("key", "day", "gs_wrong"), "unauthorized");
  });

  it("refuses a time that is none", async () => {
    const args = { session, by: "model" as const, range: "day" as const, until: NaN };
    await expectRefusal(t.query(api.console.statistics.report, args), "invalid");
  });
});
