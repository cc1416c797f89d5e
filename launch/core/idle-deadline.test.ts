import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { IdleDeadline } from "./idle-deadline.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("lasts as long as the transfer goes on, and aborts after a silence", () => {
  const deadline = new IdleDeadline(1_000);
  for (let part = 0; part < 5; part++) {
    vi.advanceTimersByTime(900);
    deadline.extend();
  }
  expect(deadline.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1_000);
  expect(deadline.signal.reason).toMatchObject({ name: "TimeoutError" });
});

it("aborts nothing after the end", () => {
  const deadline = new IdleDeadline(1_000);
  deadline.end();
  vi.advanceTimersByTime(60_000);
  expect(deadline.signal.aborted).toBe(false);
});
