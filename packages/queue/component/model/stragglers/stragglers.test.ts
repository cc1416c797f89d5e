import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FinalEvent, JobSpec } from "../../../shared/validators.ts";
import { note, startWithApp } from "../../testing/app.fixture.ts";
import { checkInvariants, rowsOf } from "../../testing/checkInvariants.fixture.ts";
import { type Backend, jobRow, passTime, queue, scope, submitJob } from "../../testing/queue.fixture.ts";
import {
  addWorker,
  claim,
  complete,
  crash,
  fail,
  heldBy,
  take,
  takeOne,
  type TestWorker,
} from "../../testing/workers.fixture.ts";
import { checkStragglers } from "./check.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime("2026-11-21T08:00:00Z");
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A worker that does 1, or `perSecond`, units of a job's input a second. */
async function addSized(t: Backend, perSecond = 1, more: object = {}): Promise<TestWorker> {
  const speeds = [{ of: "hash", inputPerSecond: perSecond, outputPerSecond: 1 }];
  return await addWorker(t, { speeds, ...more });
}

/** A job of 10 s on a worker of speed 1. */
const size = { input: 10, output: 0 };

/** Time passes, and these workers renew their leases. */
async function alive(t: Backend, ms: number, ...workers: readonly TestWorker[]): Promise<void> {
  for (let left = ms; left > 0; left -= 10_000) {
    await passTime(t, Math.min(left, 10_000));
    for (const { keyHash } of workers) await t.mutation(queue.work.heartbeat, { keyHash });
  }
}

const statuses = async (t: Backend, jobId: string) =>
  (await t.query(queue.jobs.attempts, { scope, jobId })).map(({ status }) => status);

const handedTo = async (t: Backend, { keyHash }: TestWorker) => await t.query(queue.work.handed, { keyHash });

/** A frozen worker that has the only job, and an idle worker of speed 1. */
async function straggle(ends: unknown[] = [], job: Partial<JobSpec> = {}, idle: TestWorker | null = null) {
  const t = startWithApp(ends);
  const frozen = await addSized(t);
  const jobId = await submitJob(t, { size, onFinal: note, ...job });
  const { attemptId } = await takeOne(t, frozen);
  const other = idle ?? (await addSized(t));
  await take(t, other);
  return { t, frozen, other, jobId, attemptId };
}

/** The same, after the idle worker was handed the job. */
async function doubled(ends: unknown[] = [], job: Partial<JobSpec> = {}) {
  const all = await straggle(ends, job);
  await alive(all.t, 15_500, all.frozen, all.other);
  const [second] = await handedTo(all.t, all.other);
  if (second === undefined) throw new Error("no second attempt");
  return { ...all, second: second.attemptId };
}

/** The second worker says that it has started, so that the job is not taken back. */
const start = async (t: Backend, { keyHash }: TestWorker, attemptId: string) =>
  await t.mutation(queue.work.start, { keyHash, attemptIds: [attemptId] });

afterEach(() => expect.hasAssertions());

describe("a job that takes far longer than expected", () => {
  it.each([
    ["goes on with heartbeats", true],
    ["is silent", false],
  ])("ends within twice its expected time more, if its worker freezes and %s", async (_, beats) => {
    const ends: FinalEvent[] = [];
    const { t, frozen, other, jobId, attemptId } = await straggle(ends);
    const began = Date.now();
    while ((await handedTo(t, other)).length === 0) {
      expect(Date.now() - began).toBeLessThan(60_000);
      await alive(t, 100, other, ...(beats ? [frozen] : []));
    }
    const [job] = await handedTo(t, other);
    expect(job).toMatchObject({ jobId, payload: { file: "a" }, begun: false, number: 2 });
    await start(t, other, job!.attemptId);
    await alive(t, 10_000, frozen, other);
    expect(await complete(t, other, job!.attemptId)).toMatchObject({ kind: "completed" });
    expect(Date.now() - began - 10_000).toBeLessThanOrEqual(2 * 10_000);
    expect(await statuses(t, jobId)).toEqual(["outrun", "succeeded"]);
    expect(await heldBy(t, frozen)).toEqual([]);
    expect(await complete(t, frozen, attemptId)).toMatchObject({ kind: "fenced" });
    expect(ends).toMatchObject([
      {
        outcome: "succeeded",
        worker: other.workerId,
        attemptId: job!.attemptId,
        failures: 0,
        returns: 0,
        outrun: { worker: frozen.workerId, attemptId, slow: true },
      },
    ]);
    expect(ends[0]?.outrun?.heldMs).toBe(Date.now() - began);
  });

  it("stays with its worker while it takes no longer than expected", async () => {
    const { t, other, frozen, jobId } = await straggle();
    await alive(t, 14_500, frozen, other);
    expect(await handedTo(t, other)).toEqual([]);
    expect(await statuses(t, jobId)).toEqual(["running"]);
  });

  it("counts from its start, if its worker had it in reserve", async () => {
    const t = startWithApp([]);
    const slow = await addSized(t, 1, { prefetch: 1 });
    await submitJob(t, { size });
    await submitJob(t, { size });
    const { jobs } = await take(t, slow, { jobs: 2 });
    const [running, reserve] = jobs;
    expect(jobs.map(({ begun }) => begun)).toEqual([true, false]);
    const other = await addSized(t);
    await alive(t, 9_000, slow);
    const starts = [reserve!.attemptId];
    const end = { keyHash: slow.keyHash, attemptId: running!.attemptId, result: 1, starts };
    await t.mutation(queue.work.complete, { ...end, demand: { jobs: 0 } });
    await take(t, other);
    await alive(t, 14_500, slow, other);
    expect(await handedTo(t, other)).toEqual([]);
    await alive(t, 1_500, slow, other);
    expect(await handedTo(t, other)).toMatchObject([{ jobId: reserve!.jobId }]);
  });

  it("is given the time that a worker may need before it begins, such as to load a model", async () => {
    const { t, frozen, other } = await straggle([], { size: { ...size, setupMs: 20_000 } });
    await alive(t, 34_000, frozen, other);
    expect(await handedTo(t, other)).toEqual([]);
    await alive(t, 2_000, frozen, other);
    expect(await handedTo(t, other)).toHaveLength(1);
  });

  it("is given more time if its worker runs several jobs at once", async () => {
    const t = startWithApp([]);
    const busy = await addSized(t, 1, { concurrency: 2 });
    await submitJob(t, { size });
    await submitJob(t, { size });
    await take(t, busy, { jobs: 2 });
    const other = await addSized(t);
    await take(t, other);
    await alive(t, 29_000, busy, other);
    expect(await handedTo(t, other)).toEqual([]);
    await alive(t, 2_000, busy, other);
    expect(await handedTo(t, other)).toHaveLength(1);
  });

  it("the first result counts if it comes from the first worker after all", async () => {
    const ends: FinalEvent[] = [];
    const { t, frozen, other, jobId, attemptId, second } = await doubled(ends);
    expect(await complete(t, frozen, attemptId)).toMatchObject({ kind: "completed" });
    expect(await statuses(t, jobId)).toEqual(["succeeded", "outrun"]);
    expect(await heldBy(t, other)).toEqual([]);
    expect(await complete(t, other, second)).toMatchObject({ kind: "fenced" });
    expect(ends).toMatchObject([{ worker: frozen.workerId, outrun: { attemptId: second, slow: false } }]);
    const attempts = await t.query(queue.jobs.attempts, { scope, jobId });
    expect(attempts.map(({ releaseReason }) => releaseReason)).toEqual([null, null]);
  });

  it.each<[string, string, (t: Backend, who: TestWorker, attemptId: string) => Promise<unknown>]>([
    ["fails", "failed", async (t, who, attemptId) => await fail(t, who, attemptId)],
    [
      "gives it back",
      "released",
      async (t, { keyHash }, attemptId) =>
        await t.mutation(queue.work.release, {
          keyHash,
          attemptIds: [attemptId],
          reason: "input",
          leave: true,
        }),
    ],
    ["goes", "released", async (t, { keyHash }) => await t.mutation(queue.work.goodbye, { keyHash })],
  ])("goes on with the other worker if one of the two %s", async (_, ended, end) => {
    for (const which of ["first", "second"] as const) {
      const ends: FinalEvent[] = [];
      const { t, frozen, other, jobId, attemptId, second } = await doubled(ends, {
        policy: { maxFailures: 1 },
      });
      await start(t, other, second);
      await end(t, which === "first" ? frozen : other, which === "first" ? attemptId : second);
      expect(await statuses(t, jobId)).toEqual(which === "first" ? [ended, "running"] : ["running", ended]);
      expect(await jobRow(t, jobId)).toMatchObject({
        status: "running",
        currentAttemptId: which === "first" ? second : attemptId,
      });
      expect(await jobRow(t, jobId)).not.toHaveProperty("secondAttemptId");
      checkInvariants(await rowsOf(t), ends);
      const left = which === "first" ? ([other, second] as const) : ([frozen, attemptId] as const);
      expect(await complete(t, ...left)).toMatchObject({ kind: "completed" });
      expect(ends).toMatchObject([{ outcome: "succeeded", failures: ended === "failed" ? 1 : 0 }]);
      expect(ends[0]).not.toHaveProperty("outrun");
    }
  });

  it("goes on with the second worker if the first one's lease expires", async () => {
    const ends: FinalEvent[] = [];
    const { t, other, jobId, second } = await doubled(ends, { size: { input: 20, output: 0 } }).catch(
      async () => await late(ends),
    );
    await start(t, other, second);
    await alive(t, 60_000, other);
    expect(await statuses(t, jobId)).toEqual(["lost", "running"]);
    expect(await complete(t, other, second)).toMatchObject({ kind: "completed" });
    expect(ends).toMatchObject([{ outcome: "succeeded", failures: 1 }]);
  });

  it("ends with the verdict of one of the two that it can never succeed", async () => {
    const ends: FinalEvent[] = [];
    const { t, frozen, other, jobId, second } = await doubled(ends);
    await fail(t, other, second, { ...crash, retryable: false });
    expect(await statuses(t, jobId)).toEqual(["outrun", "failed"]);
    expect(await heldBy(t, frozen)).toEqual([]);
    expect(ends).toMatchObject([{ outcome: "failed", outrun: { worker: frozen.workerId } }]);
  });

  it("is canceled with both attempts, and expires with both", async () => {
    const canceled = await doubled();
    await canceled.t.mutation(queue.jobs.cancel, { scope, jobId: canceled.jobId });
    expect(await statuses(canceled.t, canceled.jobId)).toEqual(["canceled", "canceled"]);
    const expired = await doubled([], { deadlineAt: Date.now() + 40_000 });
    await start(expired.t, expired.other, expired.second);
    await alive(expired.t, 40_000, expired.frozen, expired.other);
    expect(await statuses(expired.t, expired.jobId)).toEqual(["expired", "expired"]);
  });

  it("goes to a third worker if the second one does not start it", async () => {
    const { t, frozen, other, jobId } = await doubled();
    const third = await addSized(t, 2);
    await alive(t, 6_000, frozen);
    expect(await statuses(t, jobId)).toEqual(["running", "released"]);
    expect(await handedTo(t, other)).toEqual([]);
    await take(t, third);
    await alive(t, 6_000, frozen, third);
    expect(await handedTo(t, third)).toMatchObject([{ jobId, number: 3 }]);
  });

  it("goes to the idle worker that is expected to end it soonest", async () => {
    const t = startWithApp([]);
    const frozen = await addSized(t);
    await submitJob(t, { size });
    await takeOne(t, frozen);
    const others: TestWorker[] = [];
    for (const speed of [1, 4, 2]) others.push(await addSized(t, speed));
    for (const other of others) await take(t, other);
    await alive(t, 15_500, frozen, ...others);
    const handed = await Promise.all(others.map(async (other) => (await handedTo(t, other)).length));
    expect(handed).toEqual([0, 1, 0]);
  });
});

describe("a lane that knows which of its workers are slow", () => {
  it("gives the job to a slow worker if no fast one is idle", async () => {
    const t = startWithApp([]);
    const fast = await addSized(t, 4);
    const slow = await addSized(t, 1);
    const jobId = await submitJob(t, { size });
    for (const worker of [fast, slow]) await take(t, worker, { jobs: 0 });
    await t.run(async (ctx) => {
      const [lane] = await ctx.db.query("lanes").collect();
      await ctx.db.patch("lanes", lane!._id, { rate: { inputPerSecond: 4, outputPerSecond: 4 } });
    });
    expect(await claim(t, fast, jobId)).toMatchObject({ kind: "claimed" });
    await take(t, slow);
    expect((await rowsOf(t)).stands.map(({ position }) => position > 65_536)).toEqual([true]);
    const began = Date.now();
    while ((await handedTo(t, slow)).length === 0 && Date.now() - began < 60_000) {
      await alive(t, 500, fast, slow);
    }
    // It would take 10 s, so it helps once the first one has taken that long.
    expect(Date.now() - began).toBeGreaterThanOrEqual(10_000);
    expect(Date.now() - began).toBeLessThan(14_000);
  });
});

/** As `doubled`, with a job of 20 s. */
async function late(ends: unknown[]) {
  const all = await straggle(ends, { size: { input: 20, output: 0 } });
  await alive(all.t, 30_500, all.frozen, all.other);
  const [second] = await handedTo(all.t, all.other);
  return { ...all, second: second!.attemptId };
}

describe("no second attempt is made", () => {
  it.each<[string, Partial<JobSpec>, object]>([
    ["if the job's policy forbids it", { size, policy: { secondAttempt: false } }, {}],
    ["if the job's size is unknown", {}, {}],
    ["if the idle worker's speed is unknown", { size }, { speeds: [] }],
    [
      "if the idle worker is far slower",
      { size },
      { speeds: [{ of: "hash", inputPerSecond: 0.1, outputPerSecond: 1 }] },
    ],
    ["if the job would not end before its deadline", { size, deadlineAt: 22_000 }, {}],
  ])("%s", async (_, job, more) => {
    const t = startWithApp([]);
    const frozen = await addSized(t);
    const { deadlineAt, ...rest } = job;
    const due = deadlineAt === undefined ? {} : { deadlineAt: Date.now() + deadlineAt };
    const given = { ...rest, ...due };
    const jobId = await submitJob(t, given);
    await takeOne(t, frozen);
    const other = await addSized(t, 1, more);
    await take(t, other);
    await alive(t, 20_000, frozen, other);
    expect(await statuses(t, jobId)).toEqual(["running"]);
  });

  it("if the scope's settings forbid it", async () => {
    const { t, frozen, other, jobId } = await straggle();
    await t.mutation(queue.settings.configure, { scope, values: { policy: { secondAttempt: false } } });
    await alive(t, 20_000, frozen, other);
    expect(await statuses(t, jobId)).toEqual(["running"]);
  });

  it("if the idle worker has failed the job before", async () => {
    const t = startWithApp([]);
    const [frozen, other] = [await addSized(t), await addSized(t)];
    const jobId = await submitJob(t, { size });
    await fail(t, other, (await takeOne(t, other)).attemptId);
    await take(t, other);
    await passTime(t, 2_000);
    expect(await claim(t, frozen, jobId)).toMatchObject({ kind: "claimed" });
    await alive(t, 20_000, frozen, other);
    expect(await statuses(t, jobId)).toEqual(["failed", "running"]);
  });

  it("if the idle worker has done a job that this one is kept apart from", async () => {
    const t = startWithApp([]);
    const [frozen, other] = [await addSized(t), await addSized(t)];
    const apart = "two opinions";
    await submitJob(t, { apart });
    await complete(t, other, (await takeOne(t, other)).attemptId);
    const jobId = await submitJob(t, { size, apart });
    await takeOne(t, frozen);
    await take(t, other);
    await alive(t, 20_000, frozen, other);
    expect(await statuses(t, jobId)).toEqual(["running"]);
  });

  it("while a job of the lane is ready", async () => {
    const { t, frozen, other, jobId } = await straggle();
    await submitJob(t, {});
    await alive(t, 17_000, frozen, other);
    expect(await statuses(t, jobId)).toEqual(["running"]);
  });

  it("while its worker sends text, until it has taken three times as long", async () => {
    const { t, frozen, other, jobId, attemptId } = await straggle([], { watched: true });
    const { keyHash } = frozen;
    let seq = 0;
    const begun = Date.now();
    while ((await statuses(t, jobId)).length === 1 && Date.now() - begun < 100_000) {
      await t.mutation(queue.work.append, { keyHash, attemptId, seq, text: "a" });
      seq += 1;
      await alive(t, 1_000, frozen, other);
    }
    expect(Date.now() - begun).toBeGreaterThan(44_000);
    expect(Date.now() - begun).toBeLessThan(60_000);
  });

  it("beyond one of twenty running jobs, and one more", async () => {
    const t = startWithApp([]);
    const frozen = [await addSized(t), await addSized(t), await addSized(t)];
    for (const worker of frozen) {
      await submitJob(t, { size });
      await takeOne(t, worker);
    }
    const idle = [await addSized(t), await addSized(t), await addSized(t)];
    for (const worker of idle) await take(t, worker);
    await alive(t, 16_000, ...frozen, ...idle);
    const handed = await Promise.all(idle.map(async (worker) => await handedTo(t, worker)));
    expect(handed.flat()).toHaveLength(1);
  });
});

describe("the text of two attempts", () => {
  it("readers see only the first one's, and the second one's from its start when that is alone", async () => {
    const { t, frozen, other, jobId, attemptId, second } = await doubled([], { watched: true });
    await start(t, other, second);
    const append = async ({ keyHash }: TestWorker, id: string, seq: number, text: string) =>
      await t.mutation(queue.work.append, { keyHash, attemptId: id, seq, text });
    await append(frozen, attemptId, 0, "On");
    await append(other, second, 0, "One ");
    await append(other, second, 1, "two");
    const watch = async (after?: { attemptId: string; seq: number }) => {
      const view = await t.query(queue.jobs.watch, {
        scope,
        jobId,
        ...(after === undefined ? {} : { after }),
      });
      return [view.attempt, view.attemptId, view.chunks.map(({ text }) => text).join("")];
    };
    expect(await watch()).toEqual([1, attemptId, "On"]);
    await fail(t, frozen, attemptId);
    expect(await watch({ attemptId, seq: 0 })).toEqual([2, second, "One two"]);
  });

  it("is kept from the second attempt on, also without a reader, and progress is the first one's", async () => {
    const { t, frozen, other, jobId, attemptId, second } = await doubled();
    expect(await heldBy(t, frozen)).toMatchObject([{ watched: true }]);
    expect(await handedTo(t, other)).toMatchObject([{ watched: true }]);
    const say = async ({ keyHash }: TestWorker, id: string, view: number) =>
      await t.mutation(queue.work.progress, { keyHash, attemptId: id, view });
    await say(frozen, attemptId, 0.2);
    expect(await say(other, second, 0.7)).toEqual({ kind: "ok" });
    expect(await t.query(queue.jobs.get, { scope, jobId })).toMatchObject({ progress: 0.2 });
  });
});

describe("what an outrun attempt did", () => {
  it("is what it streamed of the answer", async () => {
    const { t, frozen, other, attemptId, second } = await doubled();
    const { keyHash } = frozen;
    await t.mutation(queue.work.append, { keyHash, attemptId, seq: 0, text: "One " });
    await complete(t, other, second);
    const streamed = async (text: string, id = attemptId, of = scope) =>
      await t.query(queue.jobs.streamedChars, { scope: of, attemptId: id, text });
    expect(await streamed("One two")).toBe(3);
    expect(await streamed("Two one")).toBe(0);
    expect(await streamed("One two", second)).toBe(0);
    expect(await streamed("One two", attemptId, "other")).toBe(0);
    expect(await streamed("One two", "no attempt")).toBe(0);
  });
});

describe("the checks", () => {
  it("are as many as there are moments at which a job is late, and end with the last job", async () => {
    const { t, frozen, other, attemptId } = await straggle();
    const checks = async () =>
      await t.run(async (ctx) =>
        (await ctx.db.system.query("_scheduled_functions").collect()).filter(({ name }) =>
          name.includes("checkStragglers"),
        ),
      );
    expect(await checks()).toHaveLength(1);
    await complete(t, frozen, attemptId);
    // Further jobs that take no longer rely on the check that is scheduled.
    for (let n = 0; n < 5; n += 1) {
      await submitJob(t, { size });
      await complete(t, frozen, (await takeOne(t, frozen)).attemptId);
    }
    expect(await checks()).toHaveLength(1);
    await alive(t, 60_000, frozen, other);
    expect((await checks()).filter(({ state }) => state.kind === "pending")).toEqual([]);
  });

  it("a check after the backend was away waits for the workers' reports first", async () => {
    const { t, frozen, other, attemptId } = await straggle();
    const due = Date.now() + 15_000;
    const now = due + 30_000;
    await t.run(async (ctx) => await checkStragglers(ctx, { scope, due }, now));
    expect(await handedTo(t, other)).toEqual([]);
    expect(await complete(t, frozen, attemptId)).toMatchObject({ kind: "completed" });
  });

  it("a check that is late twice gives the job to the second worker", async () => {
    const { t, other } = await straggle();
    const due = Date.now() + 15_000;
    await t.run(async (ctx) => await checkStragglers(ctx, { scope, due, graced: true }, due + 30_000));
    expect(await handedTo(t, other)).toHaveLength(1);
  });

  it("nothing is read or scheduled for jobs without a size", async () => {
    const t = startWithApp([]);
    const worker = await addSized(t);
    await submitJob(t, {});
    await takeOne(t, worker);
    expect(await t.run(async (ctx) => await ctx.db.query("stragglerChecks").collect())).toEqual([]);
  });
});
