import { describe, expect, it } from "vitest";
import { claimedJob, nextWork, someSubscription } from "../fake-queue.fixture.ts";
import { MachineAtTest } from "./machine.fixture.ts";
import type { MachineEvent } from "./state.ts";

/** Workers in each situation, by what they do. */
const situations = {
  "was not started": () => new MachineAtTest(),
  "asks for a job": () => MachineAtTest.greeted(),
  waits: () => {
    const at = MachineAtTest.greeted();
    at.answer("take", { kind: "ok", ...nextWork([], [someSubscription]) });
    return at;
  },
  "runs a job": () => {
    const at = MachineAtTest.greeted();
    at.hold(claimedJob("a1"));
    return at;
  },
};

const ready: MachineEvent = {
  kind: "candidates",
  seen: { subscriptions: [someSubscription], jobs: [{ jobId: "j1", laneId: "l", late: false }] },
};
const ended = (end: "failed" | "stopped"): MachineEvent => ({
  kind: "handler-ended",
  attemptId: "a1",
  end: end === "stopped" ? { kind: end } : { kind: end, error: { code: "c", message: "m", retryable: true } },
});
const pause: MachineEvent = { kind: "pause", reason: "in-use" };
const finish: MachineEvent = { kind: "finish", reason: "finishing" };
const pauseTaking: MachineEvent = { kind: "pause-taking", ms: 1_000 };
const stop: MachineEvent = { kind: "stop", finishMs: 0, leaveMs: 1_000 };
const handed: MachineEvent = { kind: "handed", jobs: [claimedJob("a2", { begun: false })] };
const canceled: MachineEvent = { kind: "held", rows: [] };
const connected: MachineEvent = { kind: "connection", connection: { connected: true, generation: 2 } };
const cut: MachineEvent = { kind: "connection", connection: { connected: false, generation: 1 } };

describe("a limit of the app", () => {
  const free = { capacity: { concurrency: 4, prefetch: 0 } };
  const limited = (...jobs: Parameters<typeof nextWork>[0]) => ({ ...nextWork(jobs), mostHeld: 1 });

  it("a worker that holds as many jobs as it may asks for no more", () => {
    const at = MachineAtTest.greeted(free);
    at.answer("take", { kind: "ok", ...limited(claimedJob("a1")) });
    at.pass(10 * 60_000);
    expect(at.sent("take")).toHaveLength(1);
  });

  it("a full worker learns the limit, and asks again when it may hold more", () => {
    const at = MachineAtTest.greeted(free);
    at.hold(claimedJob("a1"));
    at.answer("take", { kind: "unable", reason: "full", mostHeld: 1 });
    at.pass(10 * 60_000);
    expect(at.sent("take")).toHaveLength(2);
    at.send({
      kind: "handler-ended",
      attemptId: "a1",
      end: { kind: "done", result: null, report: undefined },
    });
    at.answer("complete", { kind: "completed", ...nextWork([claimedJob("a2")]) });
    expect(at.sent("take").slice(2)).toMatchObject([{ args: { demand: { jobs: 3 } } }]);
  });
});

describe("step", () => {
  it.each([
    ["was not started", connected, []],
    ["was not started", stop, []],
    ["asks for a job", connected, ["call hello"]],
    ["asks for a job", pause, []],
    ["asks for a job", stop, ["call goodbye"]],
    ["waits", ready, ["follow-ready-jobs", "call claim"]],
    ["waits", handed, ["run", "call start", "follow-ready-jobs", "follow-held"]],
    ["waits", pause, ["follow-ready-jobs", "call leave"]],
    ["waits", finish, ["follow-ready-jobs", "call leave"]],
    ["waits", pauseTaking, ["follow-ready-jobs"]],
    ["waits", { kind: "hold-new-jobs", on: true }, []],
    ["waits", stop, ["call goodbye", "follow-ready-jobs"]],
    ["runs a job", ended("failed"), ["call fail"]],
    ["runs a job", ended("stopped"), ["flush", "call release"]],
    ["runs a job", pause, ["abort"]],
    ["runs a job", finish, ["call leave"]],
    ["runs a job", pauseTaking, []],
    ["runs a job", stop, ["abort"]],
    ["runs a job", canceled, ["abort"]],
    ["runs a job", cut, []],
    ["runs a job", connected, ["call hello"]],
  ] as const)("a worker that %s reacts to %o", (situation, event, expected) => {
    const at = situations[situation]();
    const before = at.effects.length;
    at.send(event);
    const done = at.effects.slice(before).filter(({ kind }) => kind !== "log" && kind !== "tell");
    // A row names every call, and those other effects that matter in it.
    const kinds = done.map((effect) => (effect.kind === "call" ? `call ${effect.name}` : effect.kind));
    expect(kinds.filter((kind) => expected.includes(kind as never))).toEqual(expected);
    expect(kinds.filter((kind) => kind.startsWith("call"))).toEqual(
      expected.filter((kind) => kind.startsWith("call")),
    );
  });

  it("a worker that is stopped aborts its handler in time, gives the job back, and says goodbye", () => {
    const at = situations["runs a job"]();
    at.answers.leave = null;
    at.answers.goodbye = null;
    at.send({ kind: "stop", finishMs: 1_000, leaveMs: 1_000 });
    at.pass(999);
    expect(at.effects).not.toContainEqual({ kind: "abort", attemptId: "a1" });
    at.pass(1);
    expect(at.effects).toContainEqual({ kind: "abort", attemptId: "a1" });
    at.send(ended("stopped"));
    expect(at.sent("goodbye")).toHaveLength(0);
    at.answer("release", { fenced: [] });
    expect(at.sent("goodbye")).toHaveLength(1);
    expect(at.state.stop).toEqual({ kind: "over" });
  });
});
