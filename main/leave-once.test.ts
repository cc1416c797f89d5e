import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { leaveOnce } from "./leave-once.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("exits once, after the stop", async () => {
  const exit = vi.fn();
  const stop = vi.fn(() => new Promise<void>((resolve) => setTimeout(resolve, 500)));
  const leave = leaveOnce(stop, exit);
  expect([leave(), leave()]).toEqual([true, false]);
  await vi.advanceTimersByTimeAsync(499);
  expect(exit).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(exit).toHaveBeenCalledOnce();
  expect(stop).toHaveBeenCalledOnce();
});

it("exits after its time limit, and after a failed stop", async () => {
  const late = vi.fn();
  leaveOnce(() => new Promise(() => undefined), late)();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(late).toHaveBeenCalledOnce();
  const failing = vi.fn();
  leaveOnce(() => Promise.reject(new Error("disk")), failing)();
  await vi.advanceTimersByTimeAsync(0);
  expect(failing).toHaveBeenCalledOnce();
});
