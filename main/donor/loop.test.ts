import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Facts, known, unknownComputer } from "../../app/facts/facts.ts";
import type { Effect } from "../../app/policy/decision.ts";
import { idleLimits } from "../../app/policy/limits.fixture.ts";
import { defaultRules } from "../../app/policy/rules.ts";
import { silentLog } from "../log.ts";
import { InputWatch } from "./input/input-watch.ts";
import { DonorLoop } from "./loop.ts";
import { ConnectionGrace } from "./organization/connection-grace.ts";

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const accept = {
  kind: "accept",
  limits: idleLimits,
};

function world() {
  const away: Omit<Facts, "now"> = {
    ...unknownComputer,
    minuteOfWeek: 0,
    suspended: false,
    finishThenPause: false,
    idleSeconds: known(600),
    power: known("ac"),
    batteryPercent: known(90),
    otherCpuLoad: known(0),
    connection: "online",
    membership: "active",
    pause: null,
    donateNowUntil: null,
    gpuSampled: false,
    modelReady: true,
  };
  const state = {
    facts: away,
    effects: [] as Effect[],
    reason: "",
    decisions: 0,
    onEffect: (): void => undefined,
  };
  const loop: DonorLoop = new DonorLoop({
    facts: () => ({ ...state.facts, now: Date.now() }),
    rules: () => defaultRules,
    perform: (effect) => {
      state.effects.push(effect);
      state.onEffect();
    },
    onDecision: ({ reason }) => {
      state.reason = reason;
      state.decisions++;
    },
    log: silentLog,
  });
  return { state, loop };
}

describe("DonorLoop", () => {
  it("decides at its start and at each wake, and has effects only on transitions", () => {
    const { state, loop } = world();
    loop.wake("sample");
    expect(state.decisions).toBe(0);
    loop.start();
    loop.wake("sample");
    expect(state.effects).toEqual([accept]);
    state.facts = { ...state.facts, idleSeconds: known(0) };
    loop.wake("input");
    loop.wake("sample");
    expect(state.effects).toEqual([accept, { kind: "yield", reason: "in-use" }]);
    expect(state.decisions).toBe(4);
  });

  it("decides again by itself when the person may have been away long enough", () => {
    const { state, loop } = world();
    state.facts = { ...state.facts, idleSeconds: known(20) };
    loop.start();
    expect(state.reason).toBe("in-use");
    state.facts = { ...state.facts, idleSeconds: known(120) };
    vi.advanceTimersByTime(99_999);
    expect(state.reason).toBe("in-use");
    vi.advanceTimersByTime(1);
    expect(state.reason).toBe("idle");
  });

  it("decides at least every quarter of an hour before a distant recheck", () => {
    const { state, loop } = world();
    const hour = 3_600_000;
    state.facts = { ...state.facts, pause: { until: Date.now() + hour } };
    loop.start();
    vi.advanceTimersByTime(hour - 1);
    expect(state.reason).toBe("paused-by-you");
    expect(state.decisions).toBe(4);
    vi.advanceTimersByTime(1);
    expect(state.reason).toBe("idle");
  });

  it("decides once more afterward when an effect wakes it", () => {
    const { state, loop } = world();
    state.onEffect = () => {
      state.facts = { ...state.facts, connection: "offline" };
      state.onEffect = () => undefined;
      loop.wake("connection");
    };
    loop.start();
    expect(state.effects.map((effect) => effect.kind)).toEqual(["accept", "yield"]);
    expect(state.decisions).toBe(2);
  });

  it("decides no more after it was stopped", () => {
    const { state, loop } = world();
    state.facts = { ...state.facts, idleSeconds: known(20) };
    loop.start();
    loop.stop();
    vi.advanceTimersByTime(1_000_000);
    loop.wake("input");
    expect(state.decisions).toBe(1);
  });
});

describe("InputWatch", () => {
  it("notices input within 100 ms, and only while it watches", () => {
    let idle = known(300);
    let inputs = 0;
    const watch = new InputWatch(
      { source: () => "a test", sample: () => idle, isPolled: () => true },
      () => inputs++,
    );
    watch.watch(true);
    vi.advanceTimersByTime(1_000);
    idle = known(301);
    vi.advanceTimersByTime(1_000);
    expect(inputs).toBe(0);
    idle = known(0);
    vi.advanceTimersByTime(100);
    expect(inputs).toBe(1);
    watch.watch(false);
    idle = known(300);
    vi.advanceTimersByTime(100);
    idle = known(0);
    vi.advanceTimersByTime(1_000);
    expect(inputs).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("tells how late its timer fires, and how long an input may have waited for it", () => {
    let idle = known(300);
    const seen: (readonly [string, number])[] = [];
    const watch = new InputWatch(
      { source: () => "a test", sample: () => idle, isPolled: () => true },
      (withinMs) => seen.push(["input", withinMs]),
      (lateMs) => seen.push(["late", lateMs]),
    );
    watch.watch(true);
    vi.advanceTimersByTime(100);
    idle = known(0);
    // The process was not run for 40 ms.
    const late = vi.spyOn(performance, "now").mockReturnValue(performance.now() + 140);
    vi.advanceTimersByTime(100);
    late.mockRestore();
    watch.watch(false);
    expect(seen).toEqual([
      ["late", 0],
      ["late", 40],
      ["input", 140],
    ]);
  });

  it("notices input since the decision when the system reports whole seconds", () => {
    let inputs = 0;
    const typing = { source: () => "a test", sample: () => known(0), isPolled: () => true };
    const watch = new InputWatch(typing, () => inputs++);
    watch.watch(true, known(2));
    vi.advanceTimersByTime(100);
    expect(inputs).toBe(1);
    watch.watch(false);
  });
});

describe("ConnectionGrace", () => {
  it("counts a short interruption as online and a long one as offline, and calls back at the end", () => {
    let expired = 0;
    const grace = new ConnectionGrace(() => expired++, 20_000);
    expect(grace.fact).toBe("offline");
    grace.update({ connected: true, generation: 1 });
    grace.update({ connected: false, generation: 1 });
    vi.advanceTimersByTime(19_999);
    expect([grace.fact, expired]).toEqual(["online", 0]);
    vi.advanceTimersByTime(2);
    expect([grace.fact, expired]).toEqual(["offline", 1]);
    grace.update({ connected: true, generation: 2 });
    expect(grace.fact).toBe("online");
  });
});
