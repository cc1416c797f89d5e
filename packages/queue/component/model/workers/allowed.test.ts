import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Capabilities } from "../../../shared/validators.ts";
import { type Backend, queue, startQueue, submitJob } from "../../testing/queue.fixture.ts";
import {
  addWorker,
  claim,
  complete,
  expectRefusal,
  heldBy,
  shownTo,
  take,
  takeOne,
} from "../../testing/workers.fixture.ts";
import { cutTo } from "./allowed.ts";

const scope = "acme";
const reported: Capabilities = {
  kinds: ["chat", "hash"],
  models: ["large", "small"],
  tags: ["eu", "fast"],
  memoryMb: 16_000,
  vramMb: 7_680,
  gpu: true,
  contextTokens: 8_192,
  contexts: [{ model: "large", contextTokens: 4_096 }],
  concurrency: 4,
  prefetch: 4,
};

describe("cutTo", () => {
  it("changes nothing without limits", () => {
    expect(cutTo(reported, {})).toEqual(reported);
    expect(cutTo({ kinds: ["hash"] }, {})).toEqual({ kinds: ["hash"] });
  });

  it("keeps what is reported and allowed, and adds nothing", () => {
    const allowedCapabilities = {
      kinds: ["hash", "video"],
      models: ["small", "huge"],
      tags: [],
      memoryMb: 8_000,
      gpu: false,
      contextTokens: 2_048,
    };
    expect(cutTo(reported, { allowedCapabilities })).toEqual({
      kinds: ["hash"],
      models: ["small"],
      tags: [],
      memoryMb: 8_000,
      vramMb: 0,
      gpu: false,
      contextTokens: 2_048,
      contexts: [{ model: "large", contextTokens: 2_048 }],
      concurrency: 4,
      prefetch: 4,
    });
    expect(cutTo({ kinds: ["hash"] }, { allowedCapabilities })).toEqual({ kinds: ["hash"] });
    const more = { allowedCapabilities: { memoryMb: 1e6, gpu: true, contextTokens: 1e6 } };
    expect(cutTo(reported, more)).toEqual(reported);
  });

  it("counts jobs held in reserve among the most jobs at once", () => {
    const capacity = (maxConcurrentJobs: number, { concurrency, prefetch } = reported) => {
      const given = { kinds: [], ...(concurrency && { concurrency }), ...(prefetch && { prefetch }) };
      const cut = cutTo(given, { maxConcurrentJobs });
      return [cut.concurrency, cut.prefetch];
    };
    expect(capacity(1)).toEqual([1, 0]);
    expect(capacity(6)).toEqual([4, 2]);
    expect(capacity(16)).toEqual([4, 4]);
    expect(capacity(3, { kinds: [] })).toEqual([1, 0]);
  });
});

describe("limits of a worker", () => {
  let t: Backend;
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_800_000_000_000 });
    t = startQueue();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const viewOf = async (workerId: string) => await t.query(queue.workers.get, { scope, workerId });

  it("limits given at registration cut every report, and the report is kept", async () => {
    const allowedCapabilities = { models: ["small"] };
    const given = { scope, keyHash: "k", name: "a", allowedCapabilities, maxConcurrentJobs: 2 };
    const { workerId } = await t.mutation(queue.workers.register, given);
    await t.mutation(queue.work.hello, { keyHash: "k", capabilities: reported, startup: true });
    expect(await viewOf(workerId)).toMatchObject({
      capabilities: { models: ["small"], concurrency: 2, prefetch: 0 },
      reported,
      allowedCapabilities,
      maxConcurrentJobs: 2,
    });
    // The same report again is no change: the worker keeps its places in the rings.
    await submitJob(t, { kind: "hash", requirements: { model: "small" } });
    await take(t, { keyHash: "k", workerId });
    await t.mutation(queue.work.hello, { keyHash: "k", capabilities: reported, startup: false });
    expect(await viewOf(workerId)).toMatchObject({ accepting: true, capabilities: { models: ["small"] } });
  });

  it("a worker neither sees nor claims what it may not run, and gets it when it may", async () => {
    const worker = await addWorker(t, { models: ["large", "small"] });
    const update = async (allowedCapabilities: { models: string[] } | null) =>
      await t.mutation(queue.workers.update, { scope, workerId: worker.workerId, allowedCapabilities });
    await take(t, worker);
    const jobId = await submitJob(t, { kind: "hash", requirements: { model: "large" } });
    await take(t, worker, { jobs: 0 });
    await update({ models: ["small"] });
    expect(await viewOf(worker.workerId)).toMatchObject({ accepting: false });
    expect(await shownTo(t, worker)).toEqual([]);
    expect(await claim(t, worker, jobId)).toEqual({ kind: "unable" });
    expect((await take(t, worker)).jobs).toEqual([]);
    await update(null);
    expect(await viewOf(worker.workerId)).toMatchObject({
      allowedCapabilities: null,
      capabilities: { models: ["large", "small"] },
    });
    expect((await take(t, worker)).jobs).toMatchObject([{ jobId }]);
  });

  it("a new limit lets jobs go on that already run", async () => {
    const worker = await addWorker(t, { concurrency: 2 });
    await submitJob(t);
    await submitJob(t);
    await submitJob(t);
    const { jobs } = await take(t, worker, { jobs: 2 });
    expect(jobs).toHaveLength(2);
    const { keyHash, workerId } = worker;
    const attemptIds = jobs.map(({ attemptId }) => attemptId);
    await t.mutation(queue.work.start, { keyHash, attemptIds });
    await t.mutation(queue.workers.update, { scope, workerId, maxConcurrentJobs: 1 });
    expect(await heldBy(t, worker)).toHaveLength(2);
    const [first = "", second = ""] = attemptIds;
    // One of two is done: the limit of one is still reached.
    expect(await complete(t, worker, first, { jobs: 1 })).toMatchObject({ kind: "completed", jobs: [] });
    expect(await complete(t, worker, second)).toMatchObject({ kind: "completed" });
    await takeOne(t, worker);
    expect(await heldBy(t, worker)).toHaveLength(1);
  });

  it("every answer to a request for jobs tells the limit, until it is removed", async () => {
    const worker = await addWorker(t, { concurrency: 1, prefetch: 4 });
    const { keyHash, workerId } = worker;
    const update = async (maxConcurrentJobs: number | null) =>
      await t.mutation(queue.workers.update, { scope, workerId, maxConcurrentJobs });
    const ask = async () => await t.mutation(queue.work.take, { keyHash, demand: { jobs: 4 } });
    await update(2);
    await submitJob(t);
    await submitJob(t);
    const { jobs } = await take(t, worker, { jobs: 4 });
    const [first, second] = jobs.map(({ attemptId }) => attemptId);
    // The second job was not started, so the answer contains it again.
    expect(await ask()).toMatchObject({ kind: "ok", jobs: [{ attemptId: second }], mostHeld: 2 });
    await t.mutation(queue.work.start, { keyHash, attemptIds: [second ?? ""] });
    expect(await ask()).toEqual({ kind: "unable", reason: "full", mostHeld: 2 });
    expect(await complete(t, worker, first ?? "", { jobs: 1 })).toMatchObject({ mostHeld: 2 });
    await update(null);
    expect(await ask()).not.toHaveProperty("mostHeld");
  });

  it("refuses limits out of bounds", async () => {
    const { workerId } = await addWorker(t);
    const of = { scope, workerId };
    for (const maxConcurrentJobs of [0, 1.5, 17])
      await expectRefusal(t.mutation(queue.workers.update, { ...of, maxConcurrentJobs }), "invalid");
    const allowedCapabilities = { memoryMb: -1 };
    await expectRefusal(t.mutation(queue.workers.update, { ...of, allowedCapabilities }), "invalid");
    const empty = { kinds: [""] };
    await expectRefusal(t.mutation(queue.workers.update, { ...of, allowedCapabilities: empty }), "invalid");
  });
});
