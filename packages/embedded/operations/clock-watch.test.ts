import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchClock } from "./clock-watch.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("the log says once that the clock has gone back, and once that it has caught up", () => {
  const events: string[] = [];
  const note = (event: string, fields?: { readonly seconds?: unknown }) =>
    void events.push([event, fields?.seconds].join(" ").trim());
  let ahead = 0;
  const stop = watchClock({ aheadMs: () => ahead, log: { warn: note, info: note } });
  vi.advanceTimersByTime(120_000);
  expect(events).toEqual([]);
  ahead = 3_600_000;
  vi.advanceTimersByTime(120_000);
  expect(events).toEqual(["clock.ahead 3600"]);
  ahead = 300;
  vi.advanceTimersByTime(120_000);
  expect(events).toEqual(["clock.ahead 3600", "clock.caught-up"]);
  stop();
  ahead = 3_600_000;
  vi.advanceTimersByTime(120_000);
  expect(events).toHaveLength(2);
});

test("the log says at the start that the last commit is later than the machine's time", () => {
  const warn = vi.fn();
  watchClock({ aheadMs: () => 60_000, log: { warn, info: vi.fn() } })();
  expect(warn).toHaveBeenCalledOnce();
});
