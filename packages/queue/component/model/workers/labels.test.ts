import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { JobSpec } from "../../../shared/validators.ts";
import { type Backend, passTime, queue, scope, startQueue, submitJob } from "../../testing/queue.fixture.ts";
import {
  addWorker,
  claim,
  complete,
  shownTo,
  take,
  takeOne,
  type TestWorker,
} from "../../testing/workers.fixture.ts";

let t: Backend;
/** A worker that says it was given the label, the group and the data class, and one that was given them. */
let liar: TestWorker;
let given: TestWorker;

const speeds = [{ of: "hash", inputPerSecond: 1, outputPerSecond: 1 }];
const said = { tags: ["owned", "lab", "medical"], speeds, concurrency: 2, prefetch: 2 };
const decided = { labels: ["owned"], groups: ["lab"], dataClasses: ["medical"] };

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startQueue();
  liar = await addWorker(t, said);
  given = await addWorker(t, { speeds }, decided);
});
afterEach(() => {
  vi.useRealTimers();
});

const decide = async ({ workerId }: TestWorker, change: object) =>
  await t.mutation(queue.workers.update, { scope, workerId, ...change });
const handedTo = async ({ keyHash }: TestWorker) => await t.query(queue.work.handed, { keyHash });

describe.each<[string, NonNullable<JobSpec["requirements"]>, object, object]>([
  ["a label", { labels: ["owned"] }, { labels: ["owned"] }, { labels: [] }],
  ["a group", { groups: ["lab", "other"] }, { groups: ["lab"] }, { groups: [] }],
  ["a data class", { dataClass: "medical" }, { dataClasses: ["medical"] }, { dataClasses: [] }],
])("a job that requires %s", (_, requirements, gift, nothing) => {
  it("is taken, shown to and claimed by workers that were given it, whatever the others report", async () => {
    // The lane exists before the workers wait.
    await submitJob(t, { requirements });
    await takeOne(t, given);
    expect((await take(t, liar)).jobs).toEqual([]);
    const jobId = await submitJob(t, { requirements });
    expect(await shownTo(t, liar)).toEqual([]);
    expect(await claim(t, liar, jobId)).toEqual({ kind: "unable" });
    const another = await addWorker(t, {}, decided);
    expect((await take(t, another)).jobs).toMatchObject([{ jobId }]);
  });

  it("is not handed to the others", async () => {
    await submitJob(t, { requirements });
    await takeOne(t, given);
    await take(t, liar);
    await passTime(t, 100);
    const job = { kind: "hash", payload: null, requirements };
    await t.mutation(queue.jobs.submit, { scope, jobs: [job], handOver: true });
    expect(await handedTo(liar)).toEqual([]);
    await decide(liar, gift);
    await take(t, liar, { jobs: 0 });
    expect((await take(t, liar)).jobs).toHaveLength(1);
  });

  it("is not given to the others at the end of a job", async () => {
    const first = await submitJob(t);
    const { attemptId, jobId } = await takeOne(t, liar);
    expect(jobId).toBe(first);
    const second = await submitJob(t, { requirements });
    expect(await complete(t, liar, attemptId, { jobs: 4 })).toMatchObject({ kind: "completed", jobs: [] });
    expect(await takeOne(t, given)).toMatchObject({ jobId: second });
  });

  it("is not stolen by the others while a worker holds it in reserve", async () => {
    const holder = await addWorker(t, { prefetch: 4 }, decided);
    await submitJob(t, { requirements });
    await submitJob(t, { requirements });
    const { jobs } = await take(t, holder, { jobs: 2 });
    const reserved = jobs.find(({ begun }) => !begun)?.jobId ?? "none";
    expect((await take(t, liar, { jobs: 2 })).jobs).toEqual([]);
    await passTime(t, 5_000);
    expect(await shownTo(t, liar)).toEqual([]);
    expect(await claim(t, liar, reserved, true)).not.toMatchObject({ kind: "claimed" });
    expect((await take(t, given)).jobs).toMatchObject([{ jobId: reserved, number: 2 }]);
  });

  it("is not given to the others as a second attempt", async () => {
    await submitJob(t, { requirements, size: { input: 10, output: 0 } });
    await takeOne(t, given);
    await take(t, liar);
    for (let i = 0; i < 6; i += 1) {
      await passTime(t, 10_000);
      for (const { keyHash } of [given, liar]) await t.mutation(queue.work.heartbeat, { keyHash });
    }
    expect(await handedTo(liar)).toEqual([]);
  });

  it("is work for a worker that was given it only", async () => {
    await submitJob(t, { requirements });
    const isWorkFor = async (worker: object) =>
      await t.query(queue.lanes.isThereWork, {
        scope,
        worker: { capabilities: { kinds: ["hash"], ...said }, ...worker },
      });
    expect(await isWorkFor({})).toBe(false);
    expect(await isWorkFor(gift)).toBe(true);
  });

  it("is offered at once to a worker that is given it, and no more when it is taken away", async () => {
    await submitJob(t, { requirements });
    await take(t, liar);
    await decide(liar, gift);
    const { attemptId } = await takeOne(t, liar);
    await complete(t, liar, attemptId, { jobs: 1 });
    const jobId = await submitJob(t, { requirements });
    expect(await shownTo(t, liar)).toMatchObject([{ jobId }]);
    await decide(liar, nothing);
    expect(await shownTo(t, liar)).toEqual([]);
    expect(await claim(t, liar, jobId)).toEqual({ kind: "unable" });
  });

  it("has subtasks that require it, too", async () => {
    await submitJob(t, { requirements, policy: { maxSubtasks: 3 } });
    const { attemptId } = await takeOne(t, given);
    const looser = { kind: "hash", payload: 1, requirements: { dataClass: "public", groups: ["all"] } };
    const call = {
      keyHash: given.keyHash,
      attemptId,
      first: 0,
      jobs: [{ kind: "hash", payload: 0 }, looser],
    };
    const outcome = await t.mutation(queue.work.submit, call);
    if (outcome.kind !== "submitted") throw new Error(outcome.kind);
    for (const jobId of outcome.jobIds) {
      const job = await t.query(queue.jobs.get, { scope, jobId });
      expect(job?.requirements).toMatchObject(requirements);
    }
  });
});
