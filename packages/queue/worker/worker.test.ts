import { ConvexError } from "convex/values";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { claimedJob, nextWork, someCursor, someSubscription } from "./fake-queue.fixture.ts";
import { JobFailure } from "./job-failure.ts";
import { settle, WorkerAtTest } from "./worker.fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const done = (jobs: Parameters<typeof nextWork>[0] = [], subscriptions = [someSubscription]) => ({
  kind: "completed",
  ...nextWork(jobs, jobs.length > 0 ? [] : subscriptions),
});

const claimed = (attemptId: string, subscriptions = [] as (typeof someSubscription)[]) => ({
  kind: "claimed",
  job: claimedJob(attemptId),
  subscriptions,
  cursor: someCursor,
});

describe("looking for jobs", () => {
  it("a worker greets the queue, waits without a job, and claims the job that becomes ready", async () => {
    const at = new WorkerAtTest({ capabilities: { models: ["m"] }, version: "7" });
    await at.begin();
    expect(at.queue.args["hello"]).toEqual([
      {
        key: "k",
        version: "7",
        startup: true,
        capabilities: { models: ["m"], kinds: ["echo"], concurrency: 1, prefetch: 0 },
      },
    ]);
    expect(at.queue.followed).toBeNull();
    await at.answer("take", { kind: "ok", ...nextWork([], [someSubscription]) });
    expect(at.queue.followed).toEqual([someSubscription]);
    expect(at.queue.followsHeld).toBe(false);

    at.showReady("j1");
    await settle();
    const claim = at.queue.call("claim");
    expect(claim.args).toEqual({
      key: "k",
      jobId: "j1",
      laneId: "l",
      late: false,
      demand: { jobs: 0, cursor: someCursor },
    });
    expect(at.queue.followed).toBeNull();
    claim.answer(claimed("a1"));
    await settle();
    expect(at.queue.followsHeld).toBe(true);
    at.queue.showHeld("a1");
    expect(at.runs.map(({ payload }) => payload)).toEqual([{ say: "a1" }]);
    expect(at.queue.log).toEqual(["hello", "take", "claim"]);
    await at.stop();
  });

  it("a worker starts a handed job at once, and reports the start only if the job lasts", async () => {
    const at = new WorkerAtTest({ times: { startAfterMs: 150 } });
    await at.wait();
    const handed = claimedJob("a1", { begun: false });
    at.queue.showHanded(handed);
    await settle(149);
    expect(at.runs.map(({ payload }) => payload)).toEqual([{ say: "a1" }]);
    expect(at.queue.followed).toEqual([someSubscription]);
    expect(at.queue.log).toEqual(["hello", "take"]);
    await settle(1);
    expect(at.queue.followed).toBeNull();
    expect(at.queue.args["start"]).toEqual([{ key: "k", attemptIds: ["a1"] }]);
    at.runs[0]?.finish(1);
    await settle();
    await at.answer("complete", done());
    expect(at.queue.followed).toEqual([someSubscription]);
    await at.stop();
  });

  it("a worker does a handed job once, although it is shown again after its end and after a new subscription", async () => {
    const at = new WorkerAtTest();
    await at.wait();
    const job = claimedJob("a1", { begun: false });
    at.queue.showHanded(job);
    await settle();
    at.runs[0]?.finish(1);
    await settle();
    at.queue.showHanded(job);
    await at.answer("complete", done());
    at.queue.showHanded(job);
    await settle();
    expect(at.runs).toHaveLength(1);
    at.queue.showHanded(claimedJob("a2", { begun: false }));
    await settle();
    expect(at.runs).toHaveLength(2);
    await at.stop();
  });

  it("a worker keeps its subscriptions when it gets a position in a new lane", async () => {
    const at = new WorkerAtTest();
    await at.wait();
    const other = { laneId: "m", position: 7 };
    at.queue.showCandidates({ subscriptions: [someSubscription, other], jobs: [] });
    await settle();
    expect(at.queue.subscribed("candidates")).toBe(1);
    expect(at.queue.subscribed("handed")).toBe(1);
    at.queue.showHanded(claimedJob("a1", { begun: false }));
    await settle();
    expect(at.runs).toHaveLength(1);
    await at.stop();
  });

  it("a worker reports the start of a handed job before it leaves", async () => {
    const at = new WorkerAtTest({ times: { startAfterMs: 150 } });
    await at.wait();
    const handed = claimedJob("a1", { begun: false });
    at.queue.showHanded(handed);
    await settle(20);
    const stopped = at.worker.stop({ finishMs: 5_000 });
    await settle();
    expect(at.queue.log).toEqual(["hello", "take", "start", "leave"]);
    at.runs[0]?.finish(1);
    await settle();
    await at.answer("complete", done());
    await stopped;
    expect(at.queue.count("start")).toBe(1);
  });

  it("a worker reports the start of a handed job before it gives back one that has not begun", async () => {
    const at = new WorkerAtTest({ times: { startAfterMs: 150 } });
    await at.wait();
    at.queue.showHanded(claimedJob("a1", { begun: false }), claimedJob("a2", { begun: false }));
    await settle(20);
    const stopped = at.worker.stop({ finishMs: 5_000 });
    await settle();
    expect(at.queue.log).toEqual(["hello", "take", "start", "release"]);
    expect(at.queue.args["start"]).toEqual([{ key: "k", attemptIds: ["a1"] }]);
    await at.answer("release", { fenced: [] });
    at.runs[0]?.finish(1);
    await settle();
    await at.answer("complete", done());
    await stopped;
  });

  it("a worker reports a start again when the call fails", async () => {
    const at = new WorkerAtTest({ times: { startAfterMs: 150 } });
    await at.wait();
    at.queue.refusals["start"] = [new Error("busy")];
    const handed = claimedJob("a1", { begun: false });
    at.queue.showHanded(handed);
    await settle(150);
    expect(at.queue.count("start")).toBe(1);
    await settle(500);
    expect(at.queue.count("start")).toBe(2);
    await at.stop();
  });

  it("a worker makes only the ending call for a short handed job", async () => {
    const at = new WorkerAtTest({ times: { startAfterMs: 150, heldAfterMs: 300 } });
    await at.wait();
    at.queue.showHanded(claimedJob("a1", { begun: false }));
    await settle(20);
    at.runs[0]?.finish(1);
    await settle();
    expect(at.queue.followsHeld).toBe(false);
    await at.answer("complete", done());
    await settle(1_000);
    expect(at.queue.log).toEqual(["hello", "take", "complete"]);
    await at.stop();
  });

  it("a worker claims a job again if it comes back to the same position", async () => {
    const at = new WorkerAtTest();
    await at.wait();
    at.showReady("j1");
    await settle();
    await at.answer("claim", claimed("a1"));
    at.runs[0]?.fail(new Error("once"));
    await settle();
    await at.answer("fail", { kind: "failed", ...nextWork([], [someSubscription]) });
    at.showReady("j1");
    await settle();
    expect(at.queue.count("claim")).toBe(2);
    await at.stop();
  });

  it("a worker tries another job if one was taken, and retries the first later", async () => {
    const at = new WorkerAtTest();
    await at.wait();
    at.showReady("j1", "j2");
    await settle();
    await at.answer("claim", { kind: "taken" });
    at.showReady("j1", "j2");
    await settle();
    expect(at.queue.call("claim").args["jobId"]).toBe("j2");
    expect(at.queue.count("claim")).toBe(2);
    await at.stop();

    const again = new WorkerAtTest();
    await again.wait();
    again.showReady("j1");
    await settle();
    await again.answer("claim", { kind: "taken" });
    again.showReady("j1");
    await settle(999);
    expect(again.queue.count("claim")).toBe(1);
    await settle(1);
    expect(again.queue.count("claim")).toBe(2);
    await again.stop();
  });

  it("a worker leaves a job to the worker that it wakes first, and claims it if that one does not", async () => {
    const at = new WorkerAtTest();
    await at.wait();
    at.queue.showCandidates({
      subscriptions: [someSubscription],
      jobs: [{ jobId: "j1", laneId: "l", late: true }],
    });
    await settle(399);
    expect(at.queue.count("claim")).toBe(0);
    await settle(1);
    expect(at.queue.call("claim").args).toMatchObject({ jobId: "j1", late: true });
    await at.stop();
  });

  it("a worker asks again when it was removed from its rings, and notes positions that are new or moved", async () => {
    const at = new WorkerAtTest();
    await at.wait();
    const two = [someSubscription, { laneId: "new", position: 7 }];
    at.queue.showCandidates({ subscriptions: two, jobs: [] });
    // The query shows the jobs of new positions, too, so it is not asked again.
    expect(at.queue.subscribed("candidates")).toBe(1);
    at.queue.showCandidates({ subscriptions: [someSubscription], jobs: [] });
    await settle();
    expect(at.queue.followed).toBeNull();
    await at.answer("take", { kind: "ok", ...nextWork([], two) });
    expect(at.queue.followed).toEqual(two);
    await at.stop();
  });

  it("a worker waits without asking while there is no lane for it, until it gets a position", async () => {
    const at = new WorkerAtTest();
    await at.begin();
    const none = [{ laneId: "", position: 7 }];
    await at.answer("take", { kind: "ok", ...nextWork([], none) });
    at.queue.showCandidates({ subscriptions: none, jobs: [] });
    await settle();
    expect(at.queue.followed).toEqual(none);
    at.queue.showCandidates({
      subscriptions: [someSubscription],
      jobs: [{ jobId: "j1", laneId: "l", late: false }],
    });
    await settle();
    expect(at.queue.call("claim").args).toMatchObject({ jobId: "j1" });
    expect(at.queue.count("take")).toBe(1);
    await at.stop();
  });

  it("a worker claims nothing without a connection, and says hello on the next one first", async () => {
    const at = new WorkerAtTest();
    await at.wait();
    at.queue.cut();
    at.showReady("j1");
    await settle();
    expect(at.queue.count("claim")).toBe(0);
    at.queue.connect(2);
    await settle();
    at.showReady("j1");
    await settle();
    expect(at.queue.log).toEqual(["hello", "take", "hello", "claim"]);
    expect(at.queue.args["hello"]?.[1]).toMatchObject({ startup: false });
    await at.stop();
  });

  it("a worker backs off when a call fails or the queue has paused it", async () => {
    const at = new WorkerAtTest();
    at.queue.refusals["take"] = [new Error("overloaded")];
    await at.begin();
    expect(at.queue.count("take")).toBe(1);
    await settle(1_000);
    expect(at.queue.count("take")).toBe(2);
    await at.answer("take", { kind: "unable", reason: "paused" });
    await settle(999);
    expect(at.queue.count("take")).toBe(2);
    await settle(1_001);
    expect(at.queue.count("take")).toBe(3);
    await at.stop();
  });

  it("a worker says hello and asks again when its capabilities change, because it lost its positions", async () => {
    const at = new WorkerAtTest({ capabilities: { models: ["m"] } });
    await at.wait();
    at.worker.setCapabilities({ models: ["m"] });
    await settle();
    expect(at.queue.log).toEqual(["hello", "take"]);
    at.worker.setCapabilities({ models: [] });
    expect(at.queue.followed).toBeNull();
    await settle();
    expect(at.queue.log).toEqual(["hello", "take", "hello", "take"]);
    await at.stop();
  });

  it("a worker takes no job while taking is paused, and takes jobs again afterward", async () => {
    const at = new WorkerAtTest();
    await at.wait();
    at.worker.pauseTaking(5_000);
    expect(at.queue.followed).toBeNull();
    // A clock that is set back makes no pause longer.
    vi.setSystemTime(Date.now() - 3_600_000);
    await settle(5_001);
    expect(at.queue.followed).toEqual([someSubscription]);
    await at.stop();
  });

  it("a worker that holds new jobs still watches for jobs, but claims and starts none", async () => {
    const at = new WorkerAtTest({ concurrency: 2 });
    await at.wait();
    at.worker.holdNewJobs(true);
    at.showReady("j1");
    at.queue.showHanded(claimedJob("a1", { begun: false }));
    await settle(10_000);
    expect(at.queue.followed).toEqual([someSubscription]);
    expect([at.queue.count("claim"), at.runs.length]).toEqual([0, 0]);
    at.worker.holdNewJobs(false);
    await settle();
    expect(at.runs.map(({ payload }) => payload)).toEqual([{ say: "a1" }]);
    expect(at.queue.call("claim").args).toMatchObject({ jobId: "j1" });
    await at.stop();
  });

  it("a worker calls fewer than sixty times in an idle hour", async () => {
    const at = new WorkerAtTest();
    await at.wait();
    await settle(60 * 60_000);
    expect(at.queue.log.length).toBeLessThanOrEqual(60);
    expect(at.queue.count("heartbeat")).toBeGreaterThan(50);
    await at.stop();
  });

  it("a worker does not report a hello that is answered while it leaves, and says goodbye last", async () => {
    const at = new WorkerAtTest();
    at.worker.start();
    at.queue.connect(1);
    await at.stop();
    expect(at.queue.log).toEqual(["hello", "goodbye"]);
    expect(at.events).toEqual([]);
  });

  it("a worker that is retired while it works says hello with its new capabilities once, until it is started again", async () => {
    const at = new WorkerAtTest();
    await at.begin();
    at.queue.refusals["hello"] = [new ConvexError({ code: "retired", message: "no" })];
    at.worker.setCapabilities({ models: [] });
    await settle(60 * 60_000);
    expect(at.queue.count("hello")).toBe(2);
    expect(at.events).toEqual(["greeted", "unknown-key"]);
    at.worker.start();
    await settle();
    expect(at.events).toEqual(["greeted", "unknown-key", "greeted"]);
    await at.stop();
  });

  it.each(["unauthorized", "retired"])(
    "a worker stops calling a queue that refuses its key (%s), until it is started again",
    async (code) => {
      const at = new WorkerAtTest();
      at.queue.refusals["take"] = [new ConvexError({ code, message: "no" })];
      await at.begin();
      await settle(60 * 60_000);
      expect(at.queue.log).toEqual(["hello", "take"]);
      expect(at.events).toEqual(["greeted", "unknown-key"]);
      at.worker.start();
      await settle();
      expect(at.queue.count("take")).toBe(2);
      await at.stop();
      expect(at.queue.log.at(-1)).toBe("goodbye");
    },
  );
});

describe("one job", () => {
  it("a worker sends the result with its demand for a next job, and runs that job at once", async () => {
    const at = new WorkerAtTest();
    await at.hold("a1");
    at.runs[0]?.ctx.report({ tokens: 3 });
    at.runs[0]?.finish({ say: "yes" });
    await settle();
    const complete = at.queue.call("complete");
    expect(complete.args).toEqual({
      key: "k",
      attemptId: "a1",
      result: { say: "yes" },
      report: { tokens: 3 },
      starts: [],
      demand: { jobs: 1, cursor: someCursor },
    });
    at.queue.showHeld("a2");
    complete.answer(done([claimedJob("a2")]));
    await settle();
    expect(at.runs).toHaveLength(2);
    expect(at.queue.log).toEqual(["hello", "take", "complete"]);
    await at.stop();
  });

  it("a worker waits at the positions that came with the answer when there is no next job", async () => {
    const at = new WorkerAtTest();
    await at.hold("a1");
    at.runs[0]?.finish(null);
    await settle();
    await at.answer("complete", done());
    expect(at.queue.followed).toEqual([someSubscription]);
    expect(at.queue.followsHeld).toBe(false);
    expect(at.queue.count("take")).toBe(1);
    await at.stop();
  });

  it("a worker passes on a JobFailure as it is, and only the name of any other error", async () => {
    const at = new WorkerAtTest();
    await at.hold("a1");
    at.runs[0]?.fail(
      new JobFailure("no_gpu", "There is none.", { unfit: true, retryable: false, byJob: true }),
    );
    await settle();
    const first = at.queue.call("fail");
    expect(first.args["error"]).toEqual({
      code: "no_gpu",
      message: "There is none.",
      retryable: false,
      unfit: true,
      byJob: true,
    });
    at.queue.showHeld("a2");
    first.answer({ kind: "failed", ...nextWork([claimedJob("a2")]) });
    await settle();
    at.runs[1]?.fail(new TypeError("secret payload"));
    await settle();
    expect(at.queue.call("fail").args["error"]).toEqual({
      code: "handler_error",
      message: "The worker failed (TypeError).",
      retryable: true,
    });
    await at.stop();
  });

  it("a worker fails a job of a kind without a handler as unfit for this worker", async () => {
    const at = new WorkerAtTest();
    await at.hold(claimedJob("a1", { kind: "zip" }));
    expect(at.queue.call("fail").args["error"]).toMatchObject({ code: "no_handler", unfit: true });
    await at.stop();
  });

  it("a worker fails a job whose result the queue cannot keep", async () => {
    const at = new WorkerAtTest();
    await at.hold("a1");
    at.runs[0]?.finish({ no: () => undefined });
    await settle();
    expect(at.queue.count("complete")).toBe(0);
    at.queue.showHeld("a2");
    await at.answer("fail", { kind: "failed", ...nextWork([claimedJob("a2")]) });
    at.runs[1]?.finish("x".repeat(9));
    await settle();
    at.queue.call("complete").refuse(new ConvexError({ code: "too_large", message: "no" }));
    await settle();
    expect(at.queue.call("fail").args).toMatchObject({
      attemptId: "a2",
      error: { code: "result_refused", retryable: false },
    });
    await at.stop();
  });

  it("a worker sends a result again when the call fails, and gives the job back after four failures", async () => {
    const at = new WorkerAtTest();
    await at.hold("a1");
    at.runs[0]?.finish(1);
    await settle();
    for (const waitMs of [500, 1_000, 2_000, 0]) {
      at.queue.call("complete").refuse(new Error("overloaded"));
      await settle(waitMs);
    }
    expect(at.queue.call("release").args).toMatchObject({
      attemptIds: ["a1"],
      reason: "not working on it",
      leave: false,
    });
    expect(at.queue.count("complete")).toBe(4);
    await at.stop();
  });

  it("a worker drops a fenced result, and runs the job that came with the answer", async () => {
    const at = new WorkerAtTest();
    await at.hold("a1");
    at.runs[0]?.finish(1);
    await settle();
    await at.answer("complete", { kind: "fenced", ...nextWork([claimedJob("a2")]) });
    expect(at.runs).toHaveLength(2);
    await at.stop();
  });

  it("a worker aborts a canceled job, makes no call for it, and asks for another", async () => {
    const at = new WorkerAtTest();
    await at.hold("a1");
    at.queue.showHeld();
    expect(at.runs[0]?.ctx.signal.aborted).toBe(true);
    await settle();
    expect(at.queue.log).toEqual(["hello", "take", "take"]);
    await at.stop();
  });

  it("a worker drops a job that was canceled before its claim was answered", async () => {
    const at = new WorkerAtTest();
    await at.wait();
    at.showReady("j1");
    await settle();
    await at.answer("claim", claimed("a1"));
    at.queue.showHeld();
    await settle();
    expect(at.runs[0]?.ctx.signal.aborted).toBe(true);
    expect(at.queue.count("complete") + at.queue.count("release")).toBe(0);
    await at.stop();
  });

  it("a worker gives back a job that it does not know, once", async () => {
    const at = new WorkerAtTest({ concurrency: 2 });
    await at.hold("a1");
    at.queue.showHeld("a1", "old");
    at.queue.call("take").answer({ kind: "ok", ...nextWork([], [someSubscription]) });
    await settle();
    at.queue.showHeld("a1", "old");
    await settle();
    expect(at.queue.count("release")).toBe(1);
    expect(at.queue.call("release").args["attemptIds"]).toEqual(["old"]);
    await at.stop();
  });

  it("a worker takes no job for a minute when another program uses its key", async () => {
    const at = new WorkerAtTest();
    await at.hold("a1");
    at.queue.showHeld("a1", "b1");
    await settle();
    await at.answer("release", { fenced: [] });
    at.queue.showHeld("a1", "b2", "b3");
    await settle();
    expect(at.events).toContain("key-used-elsewhere");
    expect(at.logged).toContain("device-key.used-elsewhere");
    expect(at.queue.count("release")).toBe(1);
    at.runs[0]?.finish(1);
    await settle();
    expect(at.queue.call("complete").args["demand"]).toMatchObject({ jobs: 0 });
    await at.stop();
  });

  it("a worker sends a heartbeat every 15 seconds", async () => {
    const at = new WorkerAtTest();
    await at.hold("a1");
    await settle(60_000);
    expect(at.queue.count("heartbeat")).toBe(4);
    await at.stop();
  });

  it("a worker streams the whole text from the start to a reader who comes late", async () => {
    const at = new WorkerAtTest();
    await at.hold("a1");
    at.runs[0]?.ctx.append("once ");
    await settle(10_000);
    at.runs[0]?.ctx.append("upon ");
    expect(at.queue.count("append")).toBe(0);
    at.queue.showHeld({ attemptId: "a1", watched: true });
    await settle(250);
    at.runs[0]?.ctx.append("a time");
    at.runs[0]?.finish(1);
    await settle();
    expect(at.queue.args["append"]?.map(({ seq, text }) => [seq, text])).toEqual([
      [0, "once upon "],
      [1, "a time"],
    ]);
    expect(at.queue.log.slice(-2)).toEqual(["append", "complete"]);
    await at.stop();
  });

  it("a worker reports the progress of a job once a second, while it changes", async () => {
    const at = new WorkerAtTest();
    await at.hold("a1");
    const said = () => at.queue.args["progress"]?.map(({ view }) => view) ?? [];
    at.runs[0]?.ctx.progress(0.1);
    at.runs[0]?.ctx.progress(0.2);
    await settle(999);
    expect(said()).toEqual([]);
    await settle(1);
    expect(said()).toEqual([0.2]);
    at.runs[0]?.ctx.progress(0.2);
    await settle(5_000);
    expect(said()).toEqual([0.2]);
    at.runs[0]?.ctx.progress(0.3);
    await settle(1_000);
    expect(said()).toEqual([0.2, 0.3]);
    at.runs[0]?.ctx.progress(0.9);
    at.runs[0]?.finish(1);
    await settle(5_000);
    expect(said()).toEqual([0.2, 0.3]);
    expect(at.events.filter((kind) => kind === "progress")).toHaveLength(5);
    await at.stop();
  });

  it("a worker drops a job whose progress was fenced, and keeps one whose report failed", async () => {
    const at = new WorkerAtTest();
    at.queue.refusals["progress"] = [new Error("no such function")];
    await at.hold("a1");
    at.runs[0]?.ctx.progress(0.1);
    await settle(1_000);
    expect(at.logged).toContain("attempt.progress-refused");
    at.runs[0]?.ctx.progress(0.2);
    await settle(29_000);
    expect(at.queue.count("progress")).toBe(1);
    at.queue.answers["progress"] = { kind: "fenced" };
    await settle(1_000);
    expect(at.queue.count("progress")).toBe(2);
    expect(at.runs[0]?.ctx.signal.aborted).toBe(true);
    await at.stop();
  });
});

describe("several jobs", () => {
  it("a worker keeps its position for a second job while it runs the first", async () => {
    const at = new WorkerAtTest({ concurrency: 2 });
    await at.wait();
    at.showReady("j1");
    await settle();
    const claim = at.queue.call("claim");
    expect(claim.args["demand"]).toEqual({ jobs: 1, cursor: someCursor });
    at.queue.showHeld("a1");
    claim.answer(claimed("a1", [someSubscription]));
    await settle();
    expect(at.queue.followed).toEqual([someSubscription]);
    expect(at.queue.count("take")).toBe(1);
    await at.stop();
  });

  it("a worker with several jobs asks for as many jobs as it may hold, and runs as many as it may", async () => {
    const at = new WorkerAtTest({ concurrency: 2, prefetch: 1 });
    await at.begin();
    const take = at.queue.call("take");
    expect(take.args["demand"]).toEqual({ jobs: 3 });
    at.queue.showHeld("a1", "a2", "a3");
    const jobs = [claimedJob("a1"), claimedJob("a2"), claimedJob("a3", { begun: false })];
    take.answer({ kind: "ok", ...nextWork(jobs) });
    await settle();
    expect(at.runs.map(({ ctx }) => ctx.attemptId)).toEqual(["a1", "a2"]);

    at.runs[0]?.finish(1);
    await settle();
    expect(at.runs.map(({ ctx }) => ctx.attemptId)).toEqual(["a1", "a2", "a3"]);
    expect(at.queue.call("complete").args).toMatchObject({ starts: ["a3"], demand: { jobs: 1 } });
    expect(at.queue.count("start")).toBe(0);
    await at.stop();
  });

  it("a worker with several jobs holds and runs as many jobs as a new capacity allows", async () => {
    const at = new WorkerAtTest({ concurrency: 2, prefetch: 1 });
    await at.hold("a1", "a2", claimedJob("a3", { begun: false }));
    at.worker.setCapabilities({}, { concurrency: 1, prefetch: 0 });
    await settle();
    expect(at.queue.args["hello"]?.at(-1)).toMatchObject({ capabilities: { concurrency: 1, prefetch: 0 } });
    at.runs[0]?.finish(1);
    await settle();
    expect(at.queue.call("complete").args).toMatchObject({ starts: [], demand: { jobs: 0 } });
    at.runs[1]?.finish(1);
    await settle();
    expect(at.queue.call("complete").args).toMatchObject({ starts: ["a3"], demand: { jobs: 0 } });
    await at.stop();
  });

  it("a worker does not wait for jobs to prefetch, because ready jobs are for idle workers", async () => {
    const at = new WorkerAtTest({ prefetch: 2 });
    await at.hold("a1");
    await settle(60_000);
    expect(at.queue.followed).toBeNull();
    expect(at.queue.count("take")).toBe(1);
    at.runs[0]?.finish(1);
    await settle();
    expect(at.queue.call("complete").args["demand"]).toMatchObject({ jobs: 3 });
    await at.stop();
  });

  it("a worker with several jobs backs off when the queue neither has a job for it nor lets it wait", async () => {
    const at = new WorkerAtTest();
    await at.begin();
    await at.answer("take", { kind: "ok", ...nextWork([], []) });
    expect(at.queue.count("take")).toBe(1);
    await settle(1_000);
    expect(at.queue.count("take")).toBe(2);
    await at.stop();
  });

  it("a worker with several jobs gives back prefetched jobs when taking is paused", async () => {
    const at = new WorkerAtTest({ prefetch: 1 });
    await at.hold("a1", claimedJob("a2", { begun: false }));
    at.worker.pauseTaking(5_000);
    await settle();
    expect(at.queue.args["release"]).toEqual([
      { key: "k", attemptIds: ["a2"], reason: "resting", leave: false },
    ]);
    at.runs[0]?.fail(new JobFailure("runner_crashed", "ended"));
    await settle();
    expect(at.queue.call("fail").args).toMatchObject({ starts: [], demand: { jobs: 0 } });
    expect(at.runs).toHaveLength(1);
    await at.stop();
  });

  it("a worker with several jobs reports which job it starts in place of a canceled one, and drops a stolen one", async () => {
    const at = new WorkerAtTest({ prefetch: 2 });
    await at.hold("a1", claimedJob("a2", { begun: false }), claimedJob("a3", { begun: false }));
    at.queue.showHeld("a1", "a3");
    at.queue.showHeld("a3");
    await settle();
    expect(at.queue.args["start"]).toEqual([{ key: "k", attemptIds: ["a3"] }]);
    expect(at.runs.map(({ ctx }) => ctx.attemptId)).toEqual(["a1", "a3"]);
    await at.stop();
  });

  it("a worker with several jobs asks for no more jobs than it has room for, counting those that other calls ask for", async () => {
    const at = new WorkerAtTest({ concurrency: 3 });
    await at.hold("a1", "a2");
    expect(at.queue.call("take").args["demand"]).toMatchObject({ jobs: 1 });
    at.runs[0]?.finish(1);
    at.runs[1]?.finish(2);
    await settle();
    const wishes = at.queue.args["complete"]?.map(({ demand }) => (demand as { jobs: number }).jobs) ?? [];
    expect(wishes.reduce((sum, jobs) => sum + jobs, 0)).toBe(2);
    await at.stop();
  });
});

describe("pause", () => {
  it("a pause aborts the handler at once, and releases the job with `leave`", async () => {
    const at = new WorkerAtTest();
    await at.hold("a1");
    let letGo = false;
    void at.worker.pause("in-use").then(() => (letGo = true));
    expect(at.runs[0]?.ctx.signal.aborted).toBe(true);
    await settle();
    expect(letGo).toBe(true);
    expect(at.queue.args["release"]).toEqual([
      { key: "k", attemptIds: ["a1"], reason: "in-use", leave: true },
    ]);
    at.queue.showHeld();
    await at.answer("release", { fenced: [] });
    expect(at.queue.log).toEqual(["hello", "take", "release"]);

    at.worker.accept();
    await settle();
    expect(at.queue.log.at(-1)).toBe("take");
    await at.stop();
  });

  it("a pause gives several jobs back in one call", async () => {
    const at = new WorkerAtTest({ concurrency: 2, prefetch: 1 });
    await at.hold("a1", "a2", claimedJob("a3", { begun: false }));
    await at.worker.pause("in-use");
    await settle();
    const given = at.queue.args["release"]?.flatMap(({ attemptIds }) => attemptIds) ?? [];
    expect([...given].sort()).toEqual(["a1", "a2", "a3"]);
    expect(at.queue.count("release")).toBeLessThanOrEqual(2);
    await at.stop();
  });

  it("a pause removes a waiting worker from its rings, once", async () => {
    const at = new WorkerAtTest();
    await at.wait();
    await at.worker.pause("on-battery");
    await at.worker.pause("in-use");
    await settle();
    expect(at.queue.log).toEqual(["hello", "take", "leave"]);
    expect(at.queue.followed).toBeNull();
    await at.stop();
  });

  it("a pause gives back a job that was being claimed", async () => {
    const at = new WorkerAtTest();
    await at.wait();
    at.showReady("j1");
    await settle();
    await at.worker.pause("on-battery");
    await at.answer("claim", claimed("a1"));
    expect(at.queue.call("release").args).toMatchObject({ attemptIds: ["a1"], reason: "on-battery" });
    expect(at.runs).toEqual([]);
    await at.stop();
  });

  it("a pause gives back a job that came with the answer to a result, and the worker takes no other", async () => {
    const at = new WorkerAtTest();
    await at.hold("a1");
    at.runs[0]?.finish(1);
    await settle();
    await at.worker.pause("in-use");
    await at.answer("complete", done([claimedJob("a2")]));
    expect(at.queue.call("release").args).toMatchObject({
      attemptIds: ["a2"],
      reason: "in-use",
      leave: true,
    });
    expect(at.runs).toHaveLength(1);
    await at.stop();
  });

  it("a worker leaves the rings after its last result arrives during a pause", async () => {
    const at = new WorkerAtTest();
    await at.hold("a1");
    at.runs[0]?.finish(1);
    await settle();
    await at.worker.pause("in-use");
    at.queue.showHeld();
    await at.answer("complete", done());
    expect(at.queue.log).toEqual(["hello", "take", "complete", "leave"]);
    await at.stop();
  });

  it("a worker asks for no job with a result that comes while it stops", async () => {
    const at = new WorkerAtTest({
      handlers: {
        echo: async (_, { signal }) =>
          await new Promise((resolve) => (signal.onabort = () => resolve("in time"))),
      },
    });
    await at.hold("a1");
    await at.worker.pause("in-use");
    await settle();
    expect(at.queue.call("complete").args).toMatchObject({ result: "in time", demand: { jobs: 0 } });
    await at.stop();
  });

  it("a worker that does not accept jobs does not ask for any", async () => {
    const at = new WorkerAtTest({ accepting: false });
    await at.begin();
    expect(at.queue.log).toEqual(["hello"]);
    at.worker.accept();
    await settle();
    expect(at.queue.log).toEqual(["hello", "take"]);
    await at.stop();
  });
});

describe("stop", () => {
  it("a stop waits for running jobs, gives back prefetched ones, and says goodbye last", async () => {
    const at = new WorkerAtTest({ prefetch: 1 });
    await at.hold("a1", claimedJob("a2", { begun: false }));
    let over = false;
    void at.worker.stop().then(() => (over = true));
    await settle(5_000);
    expect(at.queue.call("release").args).toMatchObject({
      attemptIds: ["a2"],
      reason: "shutdown",
      leave: true,
    });
    expect(at.runs[0]?.ctx.signal.aborted).toBe(false);
    at.runs[0]?.finish(1);
    await settle();
    expect(at.queue.call("complete").args["demand"]).toMatchObject({ jobs: 0 });
    await settle(2_000);
    expect(over).toBe(true);
    expect(at.queue.log.slice(-2)).toEqual(["release", "complete"]);
  });

  it("a stop gives back jobs that have not ended in time", async () => {
    const at = new WorkerAtTest();
    await at.hold("a1");
    void at.worker.stop({ finishMs: 1_000 });
    await settle(999);
    expect(at.runs[0]?.ctx.signal.aborted).toBe(false);
    await settle(1);
    expect(at.runs[0]?.ctx.signal.aborted).toBe(true);
    await settle();
    await at.answer("release", { fenced: [] });
    expect(at.queue.log.slice(-2)).toEqual(["release", "goodbye"]);
  });

  it("a stop ends within its time limit, and no call follows", async () => {
    const at = new WorkerAtTest();
    await at.hold("a1");
    let over = false;
    void at.worker.stop({ finishMs: 0, leaveMs: 100 }).then(() => (over = true));
    await settle(100);
    expect(over).toBe(true);
    const calls = at.queue.log.length;
    at.queue.connect(2);
    await settle(60 * 60_000);
    expect(at.queue.log).toHaveLength(calls);
  });

  it("a worker that is unknown to the queue stops without a call", async () => {
    const at = new WorkerAtTest();
    await at.stop();
    expect(at.queue.log).toEqual([]);
  });
});
