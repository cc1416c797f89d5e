import { beforeEach, describe, expect, it } from "vitest";
import { workerTimes } from "../contract/times.ts";
import { claimedJob } from "../fake-queue.fixture.ts";
import { heartbeatEvery, isGreeted } from "./handshake.ts";
import { MachineAtTest } from "./machine.fixture.ts";

const minutes = 60_000;
const hour = 60 * minutes;
const paused = { mode: { kind: "paused", reason: "not begun" } } as const;

describe("hello", () => {
  let at: MachineAtTest;
  beforeEach(() => {
    at = new MachineAtTest(paused);
    at.answers.hello = { leaseMs: 40_000 };
    at.answers.heartbeat = null;
  });

  /** The hellos in order, and when each was answered. */
  const said = (): readonly string[] =>
    at.effects.flatMap((effect) => {
      if (effect.kind === "tell") return [effect.event.kind];
      if (effect.kind !== "call" || effect.name !== "hello") return [];
      const { startup, capabilities } = effect.args;
      return [`${startup ? "first " : ""}${capabilities.models?.join() ?? ""}`];
    });
  const offer = (...models: string[]): void =>
    at.send({ kind: "capabilities", abilities: { models }, capacity: undefined });

  it("a hello is sent once per connection, and again when the worker's capabilities change", () => {
    offer("hash");
    at.connect(1);
    at.connect(1);
    at.connect(2);
    expect(isGreeted(at.state)).toBe(true);
    delete at.answers.hello;
    offer("hash", "zip");
    expect(isGreeted(at.state)).toBe(false);
    at.answer("hello", { leaseMs: 40_000 });
    expect(isGreeted(at.state)).toBe(true);
    expect(said()).toEqual(["first hash", "greeted", "hash", "greeted", "hash,zip", "greeted"]);
  });

  it("a failed hello is sent again after 1, 2, 4 … seconds, still as the first one, until it is answered", () => {
    offer("hash");
    at.failures.hello = ["broken", "broken", "broken"];
    at.connect(1);
    at.pass(999);
    expect(said()).toEqual(["first hash"]);
    at.pass(1 + 2_000 + 4_000);
    expect(said()).toEqual(["first hash", "first hash", "first hash", "first hash", "greeted"]);
    at.pass(5 * minutes);
    expect(said()).toHaveLength(5);
  });

  it("after a failure, only a new connection makes the worker send hello sooner", () => {
    at.failures.hello = ["broken"];
    at.connect(1);
    at.send({ kind: "accept" });
    expect(said()).toHaveLength(1);
    at.connect(2);
    expect(isGreeted(at.state)).toBe(true);
  });

  it("a hello is not sent again to a queue that does not know the key, until the worker is started again", () => {
    offer("hash");
    at.failures.hello = ["unknown-key"];
    at.connect(1);
    at.pass(5 * minutes);
    at.send({ kind: "accept" });
    expect(said()).toEqual(["first hash", "unknown-key"]);
    at.send({ kind: "start" });
    expect(said()).toEqual(["first hash", "unknown-key", "first hash", "greeted"]);
  });
});

describe("heartbeats", () => {
  it.each([
    [40_000, 15_000],
    [90_000, 15_000],
    [8_000, 3_000],
  ])("a heartbeat fits a lease of %i ms", (leaseMs, expected) => {
    expect(heartbeatEvery(true, leaseMs, workerTimes)).toBe(expected);
  });

  const idle = (): MachineAtTest => {
    const at = MachineAtTest.greeted(paused);
    at.answers.heartbeat = null;
    return at;
  };
  const withJob = (leaseMs?: number): MachineAtTest => {
    const at = MachineAtTest.greeted({}, leaseMs);
    at.answers.heartbeat = null;
    at.hold(claimedJob("a1"));
    return at;
  };
  const beats = (at: MachineAtTest): number => at.sent("heartbeat").length;

  it.each([
    [0, true, 0, 15_000],
    [0, true, 14_999, 1],
    [0, true, 15_000, 0],
    [0, true, 99_000, 0],
    [0, false, 15_000, 50_000],
    [20_000, false, 65_000, 20_000],
    [20_000, false, 85_000, 0],
  ])(
    "a heartbeat after a call at %i, holding a job: %s, at %i is due in %i ms",
    (sentAt, holdsJob, now, expected) => {
      const at = holdsJob ? withJob() : idle();
      at.state = { ...at.state, lastSentAt: sentAt };
      at.now = now;
      at.send({ kind: "timer" });
      expect(beats(at)).toBe(expected === 0 ? 1 : 0);
      at.pass(Math.max(0, expected - 1));
      expect(beats(at)).toBe(expected === 0 ? 1 : 0);
      at.pass(1);
      expect(beats(at)).toBe(1);
    },
  );

  it("a heartbeat is sent fewer than sixty times in an idle hour, but often enough to count as online", () => {
    const at = idle();
    at.pass(hour);
    expect(beats(at)).toBe(55);
    expect(workerTimes.heartbeatIdleMs * 2).toBeLessThan(150_000);
  });

  it("a heartbeat is sent every 15 seconds while a job makes no calls", () => {
    const at = withJob();
    at.pass(hour);
    expect(beats(at)).toBe(240);
  });

  it("a heartbeat is not sent while the worker makes other calls", () => {
    const at = withJob();
    at.answers.append = { kind: "ok" };
    at.send({ kind: "held", rows: [{ attemptId: "a1", watched: true }] });
    for (let second = 0; second < 60; second += 1) {
      at.send({ kind: "text", attemptId: "a1", text: "x", data: [] });
      at.pass(1_000);
    }
    expect(at.sent("append")).toHaveLength(60);
    expect(beats(at)).toBe(0);
    at.pass(15_000);
    expect(beats(at)).toBe(1);
  });

  it("a heartbeat comes sooner when a job is handed over", () => {
    const at = MachineAtTest.greeted();
    at.pass(30_000);
    expect(beats(at)).toBe(0);
    at.send({ kind: "handed", jobs: [claimedJob("a1")] });
    expect(beats(at)).toBe(1);
  });

  it("a heartbeat comes sooner with a short lease", () => {
    const at = withJob(8_000);
    at.pass(9_000);
    expect(beats(at)).toBe(3);
  });

  it("a second heartbeat is not sent while one waits for the connection", () => {
    const at = withJob();
    delete at.answers.heartbeat;
    at.pass(5 * minutes);
    expect(beats(at)).toBe(1);
  });

  it("heartbeats continue after a failure, and end with the worker", () => {
    const at = withJob();
    at.failures.heartbeat = ["broken", "broken"];
    at.pass(30_000);
    expect(beats(at)).toBe(2);
    at.send({ kind: "stop", finishMs: 0, leaveMs: 0 });
    at.pass(hour);
    expect(beats(at)).toBe(2);
  });
});
