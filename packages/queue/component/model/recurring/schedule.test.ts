import { describe, expect, it } from "vitest";
import type { Schedule } from "../../../shared/validators.ts";
import { checkSchedule, nextRunAt } from "./schedule.ts";

const now = Date.parse("2026-11-21T08:30:00Z");

function cron(expression: string, timeZone?: string): Schedule {
  return { kind: "cron", expression, ...(timeZone === undefined ? {} : { timeZone }) };
}

describe("checkSchedule", () => {
  it.each([
    cron("*/5 * * * *"),
    cron("0 9 * * 1-5", "Europe/Berlin"),
    cron(" 0 0 1 JAN * "),
    { kind: "interval", everyMs: 10_000 } as const,
  ])("a check of a schedule accepts %j", (schedule) => {
    expect(() => checkSchedule(schedule, now)).not.toThrow();
  });

  it.each([
    [cron("* * * *"), "it has 4"],
    [cron("*/5 * * * * *"), "it has 6"],
    [cron("61 * * * *"), "0-59"],
    [cron("* * 30 2 *"), "day of month"],
    [cron("every day at noon"), "it has 4"],
    [cron("a b c d e"), "Invalid"],
    [cron("* * * * *", "Mars/Olympus"), "time zone"],
    [{ kind: "interval", everyMs: 9_999 } as const, "10000"],
    [{ kind: "interval", everyMs: Number.NaN } as const, "whole"],
    [{ kind: "interval", everyMs: 1e12 } as const, "everyMs"],
  ])("a check of a schedule refuses %j with a reason", (schedule, why) => {
    expect(() => checkSchedule(schedule, now)).toThrow(why);
  });
});

describe("nextRunAt", () => {
  const due = now - 25_000;

  it("the next run keeps an interval's phase, and makes up for nothing", () => {
    const every10s: Schedule = { kind: "interval", everyMs: 10_000 };
    expect(nextRunAt(every10s, { due: now, now })).toBe(now + 10_000);
    expect(nextRunAt(every10s, { due, now })).toBe(now + 5_000);
    expect(nextRunAt(every10s, { due: now + 500, now })).toBe(now + 10_500);
  });

  it("the next run uses the time of the zone, also when that changes", () => {
    const nine = (timeZone?: string) => nextRunAt(cron("0 9 * * *", timeZone), { due, now });
    expect(new Date(nine()).toISOString()).toBe("2026-11-21T09:00:00.000Z");
    expect(new Date(nine("Asia/Tokyo")).toISOString()).toBe("2026-11-22T00:00:00.000Z");
    const beforeSummer = Date.parse("2026-03-28T12:00:00Z");
    const next = nextRunAt(cron("0 9 * * *", "Europe/Berlin"), { due, now: beforeSummer });
    expect(new Date(next).toISOString()).toBe("2026-03-29T07:00:00.000Z");
  });
});
