import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CronSchedule, CronSpec } from "./cron-spec.ts";
import { firstRun, nextRun } from "./next-run.ts";

const spec = (schedule: CronSchedule): CronSpec => ({
  identifier: "job",
  function: "m:f",
  args: {},
  schedule,
});
const time = (text: string): number => Date.parse(text);
const now = time("2026-11-21T10:00:00Z");

describe("the next run", () => {
  test.each<[CronSchedule, string]>([
    [{ type: "hourly", minuteUTC: 30 }, "2026-11-21T10:30:00Z"],
    [{ type: "daily", hourUTC: 9, minuteUTC: 5 }, "2026-11-22T09:05:00Z"],
    [{ type: "weekly", dayOfWeek: "monday", hourUTC: 0, minuteUTC: 0 }, "2026-11-23T00:00:00Z"],
    [{ type: "monthly", day: 31, hourUTC: 1, minuteUTC: 0 }, "2026-12-31T01:00:00Z"],
    [{ type: "cron", cron: "0 */6 * * *" }, "2026-11-21T12:00:00Z"],
    [{ type: "interval", minutes: 5 }, "2026-11-21T10:05:00Z"],
  ])("the next run of %j is at %s", (schedule, expected) => {
    expect(nextRun(spec(schedule), now, now)).toBe(time(expected));
  });

  test("a new interval runs at once", () => {
    expect(firstRun(spec({ type: "interval", seconds: 30 }), now)).toBe(now);
    expect(firstRun(spec({ type: "hourly", minuteUTC: 30 }), now)).toBe(time("2026-11-21T10:30:00Z"));
  });

  test("runs missed during a sleep are skipped, and the interval's times stay", () => {
    const hourly = spec({ type: "interval", hours: 1 });
    expect(nextRun(hourly, now, now + 10.5 * 3_600_000)).toBe(now + 11 * 3_600_000);
  });

  test("the next run is after now, by one period at most", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 86_400 }), fc.nat(1e9), (seconds, late) => {
        const next = nextRun(spec({ type: "interval", seconds }), now, now + late);
        expect(next).toBeGreaterThan(now + late);
        expect(next).toBeLessThanOrEqual(now + late + seconds * 1000);
        expect((next - now) % (seconds * 1000)).toBe(0);
      }),
    );
  });

  test("an hourly job without a minute runs at the same minute of each hour", () => {
    const first = nextRun(spec({ type: "hourly" }), now, now);
    expect(nextRun(spec({ type: "hourly" }), first, first)).toBe(first + 3_600_000);
  });
});
