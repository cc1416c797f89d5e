import { describe, expect, test } from "vitest";
import { BackendClock } from "./backend-clock.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const start = 1_800_000_000_000;

/** A machine whose time passes when the test says so. */
function machine(earliest = 0) {
  let wall = start;
  let steady = 5;
  const clock = new BackendClock({ wall: () => wall, steady: () => steady }, earliest);
  return {
    clock,
    step: (ms: number) => {
      wall += ms;
    },
    pass: (ms: number) => {
      wall += ms;
      steady += ms;
    },
  };
}

describe("the backend's clock", () => {
  test("shows the wall clock's time", () => {
    const { clock, pass } = machine();
    expect(clock.now()).toBe(start);
    pass(minuteMs);
    expect(clock.now()).toBe(start + minuteMs);
    expect(clock.aheadMs()).toBe(0);
  });

  test("takes a step forward, and the time of the machine's sleep, at once", () => {
    const { clock, step } = machine();
    step(hourMs);
    expect(clock.now()).toBe(start + hourMs);
    expect(clock.aheadMs()).toBe(0);
  });

  test("goes on after a step back, a little slower", () => {
    const { clock, pass, step } = machine();
    expect(clock.now()).toBe(start);
    step(-hourMs);
    expect(clock.now()).toBe(start);
    expect(clock.aheadMs()).toBe(hourMs);
    pass(minuteMs);
    expect(clock.now()).toBe(start + 0.95 * minuteMs);
  });

  test("shows the wall clock's time again as soon as that has caught up: 20 hours after a step of one", () => {
    const { clock, pass, step } = machine();
    clock.now();
    step(-hourMs);
    // However often it is read.
    for (let minutes = 0; minutes < 20 * 60; minutes += 1) {
      expect(clock.aheadMs()).toBeGreaterThan(0);
      pass(minuteMs);
    }
    expect(clock.aheadMs()).toBeLessThanOrEqual(1);
    pass(minuteMs);
    expect(clock.aheadMs()).toBe(0);
  });

  test("goes on from a step forward that is taken back", () => {
    const { clock, pass, step } = machine();
    step(hourMs);
    expect(clock.now()).toBe(start + hourMs);
    step(-hourMs);
    pass(minuteMs);
    expect(clock.now()).toBe(start + hourMs + 0.95 * minuteMs);
  });

  test("never goes back, even when it is read between the steps", () => {
    const { clock, pass, step } = machine();
    let last = 0;
    for (const ms of [-1, 5, -3_000, 2_000, -hourMs, 2 * hourMs, -3 * hourMs, 0.4, -0.4]) {
      step(ms);
      pass(0.3);
      const now = clock.now();
      expect(now).toBeGreaterThanOrEqual(last);
      expect(Number.isInteger(now)).toBe(true);
      last = now;
    }
  });

  test("starts no earlier than it is told", () => {
    expect(machine(start + hourMs).clock.now()).toBe(start + hourMs);
    expect(machine(start - hourMs).clock.now()).toBe(start);
  });
});
