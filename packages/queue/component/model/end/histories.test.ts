import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  type Backend,
  jobRow,
  passTime,
  queue,
  refused,
  scope,
  startQueue,
  submitJob,
  submitJobs,
} from "../../testing/queue.fixture.ts";
import { addWorker, complete, fail, take, takeOne } from "../../testing/workers.fixture.ts";
import { ringSize, slotOf } from "../placement.ts";

let t: Backend;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startQueue();
});

afterEach(() => {
  vi.useRealTimers();
});

const historiesOf = async (jobIds: string[], of = scope) =>
  await t.query(queue.jobs.histories, { scope: of, jobIds });

it("tells when a job waited, who worked on it and how each attempt ended", async () => {
  const start = Date.now();
  const jobId = await submitJob(t, { requirements: { tags: ["b", "a"] } });
  const unable = await addWorker(t, { tags: ["a", "b"] });
  const worker = await addWorker(t, { tags: ["a", "b"] });
  vi.setSystemTime(start + 1_000);
  const first = await takeOne(t, unable);
  vi.setSystemTime(start + 1_500);
  await fail(t, unable, first.attemptId);
  await passTime(t, 60_000);
  const again = Date.now();
  const second = await takeOne(t, worker);
  vi.setSystemTime(again + 3_000);
  await complete(t, worker, second.attemptId);
  expect(await historiesOf([jobId])).toEqual([
    {
      jobId,
      lane: JSON.stringify(["hash", { tags: ["a", "b"] }]),
      status: "succeeded",
      round: 0,
      submittedAt: start,
      startedAt: start + 1_000,
      finishedAt: again + 3_000,
      attempts: [
        expect.objectContaining({ status: "failed", startedAt: start + 1_000, endedAt: start + 1_500 }),
        expect.objectContaining({ status: "succeeded", startedAt: again, endedAt: again + 3_000 }),
      ],
    },
  ]);
});

it("tells apart the claim of a job and its later start", async () => {
  // Creates a lane, so that there is a ring to wait in.
  await t.mutation(queue.jobs.cancel, { scope, jobId: await submitJob(t) });
  const worker = await addWorker(t);
  await take(t, worker);
  const start = Date.now();
  const [jobId = ""] = await submitJobs(t, [{}], { handOver: true });
  const held = await t.run(async (ctx) => await ctx.db.query("attempts").first());
  vi.setSystemTime(start + 300);
  const { keyHash } = worker;
  await t.mutation(queue.work.start, { keyHash, attemptIds: [held?._id ?? ""] });
  const [history] = await historiesOf([jobId]);
  expect(history).toMatchObject({ startedAt: start + 300, finishedAt: null });
  expect(history?.attempts).toEqual([
    {
      status: "running",
      claimedAt: start,
      startedAt: start + 300,
      endedAt: null,
      worker: null,
      releaseReason: null,
      isSteal: false,
    },
  ]);
});

it("tells which worker took the job from another one", async () => {
  const victim = await addWorker(t, { concurrency: 1, prefetch: 1 });
  await submitJobs(t, [{}, {}]);
  const { jobs } = await take(t, victim, { jobs: 2 });
  const thief = await addWorker(t);
  const { jobId } = await takeOne(t, thief);
  const [history] = await historiesOf([jobId]);
  expect(history?.attempts.map(({ status, isSteal }) => [status, isSteal])).toEqual([
    ["stolen", false],
    ["running", true],
  ]);
  const running = jobs.find(({ begun }) => begun);
  const [other] = await historiesOf([running!.jobId]);
  expect(other?.attempts).toMatchObject([{ status: "running", isSteal: false }]);
});

it("tells that a worker took a ready job from a busy worker's part of the ring", async () => {
  const busy = await addWorker(t, {}, { position: 0 });
  const free = await addWorker(t, {}, { position: ringSize / 2 });
  await submitJobs(t, [{}, {}]);
  await takeOne(t, busy);
  let { attemptId } = await takeOne(t, free);
  const jobIds = await submitJobs(
    t,
    Array.from({ length: 60 }, () => ({})),
  );
  for (;;) {
    const { jobs } = await complete(t, free, attemptId, { jobs: 1 });
    // It takes jobs of its own part first, then searches a little, and further only if it asks again.
    const [next] = jobs.length > 0 ? jobs : (await take(t, free)).jobs;
    if (next === undefined) break;
    ({ attemptId } = next);
  }
  const taken = (await historiesOf(jobIds)).filter(({ attempts }) => attempts.length > 0);
  const stolen = taken.map(({ attempts }) => attempts[0]?.isSteal);
  const places = await Promise.all(taken.map(async ({ jobId }) => (await jobRow(t, jobId)).place));
  expect(stolen).toEqual(places.map((place) => slotOf(place) < ringSize / 2));
  expect(new Set(stolen)).toEqual(new Set([true, false]));
});

it("shows nothing to another scope, and refuses a list that is too long", async () => {
  const jobId = await submitJob(t);
  expect(await historiesOf([jobId, "no job"], "rival")).toEqual([]);
  expect(await refused(historiesOf(Array.from({ length: 101 }, () => jobId)))).toBe("invalid");
});
