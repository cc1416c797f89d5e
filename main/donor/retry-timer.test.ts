import { afterEach, expect, it, vi } from "vitest";
import { RetryTimer } from "./retry-timer.ts";

afterEach(() => void vi.useRealTimers());

it("calls back later and later, once each time that it is armed, until it is reset", () => {
  vi.useFakeTimers();
  const calls: number[] = [];
  const begun = Date.now();
  const timer = new RetryTimer(() => calls.push(Date.now() - begun));
  timer.arm();
  timer.arm();
  vi.advanceTimersByTime(60_000);
  expect(calls).toEqual([5_000]);
  timer.arm();
  vi.advanceTimersByTime(60_000);
  expect(calls).toEqual([5_000, 70_000]);
  timer.arm();
  timer.reset();
  vi.advanceTimersByTime(3_600_000);
  expect(calls).toHaveLength(2);
  timer.arm();
  vi.advanceTimersByTime(10_000);
  expect(calls).toHaveLength(3);
});
