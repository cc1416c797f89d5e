import { describe, expect, it } from "vitest";
import { workerTimes } from "../contract/times.ts";
import { claimedJob, nextWork, someSubscription } from "../fake-queue.fixture.ts";
import { MachineAtTest } from "./machine.fixture.ts";

const ahead = { capacity: { concurrency: 1, prefetch: 1 } };

/** A worker that waited, saw these jobs, and claimed the first. */
function claimedFirst(jobs: readonly { readonly jobId: string; readonly late: boolean }[], options = ahead) {
  const at = MachineAtTest.greeted(options);
  at.answer("take", { kind: "ok", ...nextWork([], [someSubscription]) });
  const shown = jobs.map((job) => ({ ...job, laneId: "l" }));
  at.send({ kind: "candidates", seen: { subscriptions: [someSubscription], jobs: shown } });
  at.answer("claim", {
    kind: "claimed",
    job: claimedJob("a1"),
    subscriptions: [],
    cursor: { laneId: "l", place: 0, turn: 0 },
  });
  return at;
}

const two = [
  { jobId: "j1", late: false },
  { jobId: "j2", late: false },
];

describe("a worker that claimed one of several jobs in sight", () => {
  it("leaves the others to idle workers for a while, then asks for one to prefetch", () => {
    const at = claimedFirst(two);
    at.pass(399);
    expect(at.sent("take")).toHaveLength(1);
    at.pass(1);
    expect(at.sent("take").slice(1)).toMatchObject([{ args: { demand: { jobs: 1 } } }]);
    at.hold(claimedJob("a2", { begun: false }));
    at.send({
      kind: "handler-ended",
      attemptId: "a1",
      end: { kind: "done", result: null, report: undefined },
    });
    expect(at.sent("complete")).toMatchObject([{ args: { attemptId: "a1", starts: ["a2"] } }]);
  });

  it("asks only once, and asks at full demand when its job ends", () => {
    const at = claimedFirst(two);
    at.pass(400);
    at.hold();
    at.pass(10 * 60_000);
    expect(at.sent("take")).toHaveLength(2);
    at.send({
      kind: "handler-ended",
      attemptId: "a1",
      end: { kind: "done", result: null, report: undefined },
    });
    expect(at.sent("complete")).toMatchObject([{ args: { demand: { jobs: 2 } } }]);
  });

  it.each([
    ["it saw no other", [two[0]!], ahead],
    ["the other is left to another worker", [two[0]!, { jobId: "j2", late: true }], ahead],
    ["it prefetches none", two, { capacity: { concurrency: 1, prefetch: 0 } }],
  ])("asks for none if %s", (_, jobs, options) => {
    const at = claimedFirst(jobs, options);
    at.pass(10_000);
    expect(at.sent("take")).toHaveLength(1);
  });
});

type Shown = { readonly jobId: string; readonly late: boolean; readonly patienceMs?: number };

/** A worker that waited and got a job handed over, and saw these after so many ms. */
function handedOne(jobs: readonly Shown[], options = ahead, afterMs = 0) {
  const at = MachineAtTest.greeted({ ...options, times: workerTimes });
  at.answer("take", { kind: "ok", ...nextWork([], [someSubscription]) });
  at.send({ kind: "handed", jobs: [claimedJob("a1", { begun: false })] });
  at.pass(afterMs);
  const shown = jobs.map((job) => ({ ...job, laneId: "l" }));
  at.send({ kind: "candidates", seen: { subscriptions: [someSubscription], jobs: shown } });
  return at;
}

describe("a worker whose handed job lasts", () => {
  it("leaves the others in sight to idle workers until the start is reported, then asks for one to prefetch", () => {
    const at = handedOne(two);
    at.pass(499);
    expect(at.sent("take")).toHaveLength(1);
    at.pass(1);
    expect(at.sent("start")).toHaveLength(1);
    expect(at.sent("take").slice(1)).toMatchObject([{ args: { demand: { jobs: 1 } } }]);
    at.hold();
    at.pass(10 * 60_000);
    expect(at.sent("take")).toHaveLength(2);
  });

  it("leaves a job that it sees late to idle workers for as long", () => {
    const at = handedOne(two, ahead, 490);
    at.pass(399);
    expect(at.sent("start")).toHaveLength(1);
    expect(at.sent("take")).toHaveLength(1);
    at.pass(1);
    expect(at.sent("take")).toHaveLength(2);
  });

  it("asks for none if its job is short", () => {
    const at = handedOne(two);
    at.pass(450);
    at.send({
      kind: "handler-ended",
      attemptId: "a1",
      end: { kind: "done", result: null, report: undefined },
    });
    at.pass(10_000);
    expect(at.sent("complete")).toHaveLength(1);
    expect(at.sent("take")).toHaveLength(1);
  });

  it.each([
    ["it saw no other", [], ahead],
    ["the other is left to another worker", [{ jobId: "j2", late: true }], ahead],
    ["the other is left to faster workers", [{ jobId: "j2", late: false, patienceMs: 8_000 }], ahead],
    ["it prefetches none", two, { capacity: { concurrency: 1, prefetch: 0 } }],
  ])("asks for none if %s", (_, jobs, options) => {
    const at = handedOne(jobs, options);
    at.pass(10_000);
    expect(at.sent("take")).toHaveLength(1);
  });
});
