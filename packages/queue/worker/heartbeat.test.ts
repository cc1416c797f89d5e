import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cadenceFor, Heartbeat, untilBeat } from "./heartbeat.ts";
import { workerTimes } from "./times.ts";

const hour = 60 * 60_000;

it.each([
  [0, true, 0, 15_000],
  [0, true, 14_999, 1],
  [0, true, 15_000, 0],
  [0, true, 99_000, 0],
  [0, false, 15_000, 50_000],
  [20_000, false, 65_000, 20_000],
  [20_000, false, 85_000, 0],
])("said at %i, holding: %s, at %i: in %i ms", (saidAt, holding, now, expected) => {
  expect(untilBeat(saidAt, holding, now, workerTimes)).toBe(expected);
});

it.each([
  [40_000, 15_000],
  [90_000, 15_000],
  [8_000, 3_000],
])("fits a lease of %i ms", (leaseMs, expected) => {
  expect(cadenceFor(leaseMs, workerTimes)).toMatchObject({ heartbeatHoldingMs: expected });
});

describe("a heartbeat", () => {
  let beats = 0;
  let lastSaidAt = 0;
  let beat: () => Promise<unknown>;
  let heartbeat: Heartbeat;

  beforeEach(() => {
    vi.useFakeTimers();
    beats = 0;
    lastSaidAt = performance.now();
    beat = async () => undefined;
    heartbeat = new Heartbeat({
      beat: () => {
        beats += 1;
        lastSaidAt = performance.now();
        return beat();
      },
      lastSaidAt: () => lastSaidAt,
      cadence: workerTimes,
      onRefused: () => undefined,
    });
  });
  afterEach(() => {
    heartbeat.stop();
    vi.useRealTimers();
  });

  it("is said fewer than sixty times in an idle hour, and often enough to count as online", async () => {
    heartbeat.run(false);
    await vi.advanceTimersByTimeAsync(hour);
    expect(beats).toBe(55);
    expect(workerTimes.heartbeatIdleMs * 2).toBeLessThan(150_000);
  });

  it("is said every 15 seconds of a job that says nothing", async () => {
    heartbeat.run(true);
    await vi.advanceTimersByTimeAsync(hour);
    expect(beats).toBe(240);
  });

  it.each([-1, 1])("is said as often where the clock is set by %i h", async (hours) => {
    heartbeat.run(true);
    await vi.advanceTimersByTimeAsync(60_000);
    vi.setSystemTime(Date.now() + hours * hour);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(beats).toBe(8);
  });

  it("is not said while other things are", async () => {
    heartbeat.run(true);
    for (let second = 0; second < 60; second += 1) {
      lastSaidAt = performance.now();
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(beats).toBe(0);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(beats).toBe(1);
  });

  it("comes sooner when a job is taken", async () => {
    heartbeat.run(false);
    await vi.advanceTimersByTimeAsync(30_000);
    heartbeat.run(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(beats).toBe(1);
  });

  it("comes sooner where the lease is short", async () => {
    heartbeat.run(true);
    heartbeat.setLease(8_000);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(beats).toBe(3);
  });

  it("is not said again while one waits for the connection", async () => {
    beat = () => new Promise(() => undefined);
    heartbeat.run(true);
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    expect(beats).toBe(1);
  });

  it("goes on after a refusal, and ends when it is stopped", async () => {
    beat = () => Promise.reject(new Error("overloaded"));
    heartbeat.run(true);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(beats).toBe(2);
    heartbeat.stop();
    await vi.advanceTimersByTimeAsync(hour);
    expect(beats).toBe(2);
  });
});
