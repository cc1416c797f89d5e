import { describe, expect, it, onTestFinished, vi } from "vitest";
import { DutyCycle } from "./duty-cycle.ts";

describe("DutyCycle", () => {
  const never = new AbortController().signal;

  it("does not rest by default", () => {
    expect(new DutyCycle().paceFor(never)()).toBeNull();
  });

  it("rests all jobs together, in proportion to their work", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const duty = new DutyCycle();
    duty.share = 0.5;
    const [one, other] = [duty.paceFor(never), duty.paceFor(never)];
    expect(one()).toBeNull();
    vi.advanceTimersByTime(19);
    expect(other()).toBeNull();
    vi.advanceTimersByTime(1);
    let awake = 0;
    for (const rest of [one(), other()]) void rest?.then(() => (awake += 1));
    await vi.advanceTimersByTimeAsync(19);
    expect(awake).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(awake).toBe(2);
    expect([one(), other()]).toEqual([null, null]);
  });

  it("pauses until the share is raised, also during a rest; an abort ends the wait", async () => {
    const duty = new DutyCycle();
    duty.share = 0.5;
    const aborted = new AbortController();
    const [one, other] = [duty.paceFor(never), duty.paceFor(aborted.signal)];
    void one();
    let rest = one();
    while (rest === null) rest = one();
    duty.share = 0;
    const pausedAt = duty.clock();
    let resumed = 0;
    void rest.then(() => (resumed += 1));
    const left = other();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(resumed).toBe(0);
    aborted.abort();
    await left;
    expect([resumed, duty.clock()]).toEqual([0, pausedAt]);
    duty.share = 1;
    await rest;
    expect(one()).toBeNull();
    expect(duty.clock()).toBeGreaterThanOrEqual(pausedAt);
    expect(performance.now() - duty.clock()).toBeGreaterThan(99);
    duty.share = 0;
    const pause = one();
    expect(pause).not.toBeNull();
    duty.share = 0.5;
    await pause;
    expect(resumed).toBe(1);
  });

  it("holds a long step back only during a pause", async () => {
    const duty = new DutyCycle();
    const start = duty.startFor(never);
    expect(start()).toBeNull();
    duty.share = 0.5;
    expect(start()).toBeNull();
    const workedFrom = performance.now();
    while (performance.now() - workedFrom < 50);
    expect(duty.paceFor(never)()).toBeNull();
    duty.share = 0;
    const pause = start();
    expect(pause).not.toBeNull();
    duty.share = 0.5;
    await pause;
    expect(start()).toBeNull();
  });

  it("ends the rest of an aborted job, and of no other", async () => {
    const duty = new DutyCycle();
    // A rest of minutes, after some milliseconds of work.
    duty.share = 0.000_01;
    const aborted = new AbortController();
    const [one, other] = [duty.paceFor(aborted.signal), duty.paceFor(never)];
    expect(one()).toBeNull();
    const workedFrom = performance.now();
    while (performance.now() - workedFrom < 5);
    const rest = one();
    let othersEnded = 0;
    void other()?.then(() => (othersEnded += 1));
    aborted.abort();
    await rest;
    expect(rest).not.toBeNull();
    expect(one()).toBeNull();
    expect(othersEnded).toBe(0);
    expect(other()).not.toBeNull();
  });
});
