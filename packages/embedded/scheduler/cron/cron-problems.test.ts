import { cronJobs, makeFunctionReference } from "convex/server";
import { describe, expect, test } from "vitest";
import { appComponent } from "../../names/table-name.ts";
import { cronProblem, type CronTarget } from "./cron-problems.ts";
import { type CronSpec, parseCrons } from "./cron-spec.ts";
import { nextRun } from "./next-run.ts";

type Crons = ReturnType<typeof cronJobs>;

const note = makeFunctionReference<"mutation", { text: string }, null>("later:note");
const target: CronTarget = { type: "Mutation", identifier: "later.js:note" };
const now = Date.parse("2026-11-21T10:20:00Z");

/** Returns the job that the convex package makes of a definition. */
function defined(define: (crons: Crons) => void): CronSpec {
  const crons = cronJobs();
  define(crons);
  return parseCrons((crons as unknown as { export(): string }).export(), appComponent)[0] as CronSpec;
}

describe("definitions", () => {
  test.each<[string, (crons: Crons) => void, string]>([
    ["seconds", (c) => c.interval("x", { seconds: 90 }, note, { text: "" }), "2026-11-21T10:21:30Z"],
    ["minutes", (c) => c.interval("x", { minutes: 5 }, note, { text: "" }), "2026-11-21T10:25:00Z"],
    ["hours", (c) => c.interval("x", { hours: 2 }, note, { text: "" }), "2026-11-21T12:20:00Z"],
    ["hourly", (c) => c.hourly("x", { minuteUTC: 10 }, note, { text: "" }), "2026-11-21T11:10:00Z"],
    [
      "daily",
      (c) => c.daily("x", { hourUTC: 10, minuteUTC: 20 }, note, { text: "" }),
      "2026-11-22T10:20:00Z",
    ],
    [
      "weekly",
      (c) => c.weekly("x", { dayOfWeek: "saturday", hourUTC: 10, minuteUTC: 21 }, note, { text: "" }),
      "2026-11-21T10:21:00Z",
    ],
    [
      "monthly",
      (c) => c.monthly("x", { day: 30, hourUTC: 0, minuteUTC: 0 }, note, { text: "" }),
      "2026-11-30T00:00:00Z",
    ],
    ["a cron string", (c) => c.cron("x", "*/20 * * * *", note, { text: "" }), "2026-11-21T10:40:00Z"],
  ])("a cron defined by %s gets its next time", (_, define, expected) => {
    const spec = defined(define);
    expect(spec.args).toEqual({ text: "" });
    expect(cronProblem(spec, target)).toBeNull();
    expect(new Date(nextRun(spec, now, now)).toISOString()).toBe(new Date(expected).toISOString());
  });

  test("a monthly cron skips a month without its day", () => {
    const spec = defined((c) => c.monthly("x", { day: 31, hourUTC: 0, minuteUTC: 0 }, note, { text: "" }));
    const times: string[] = [];
    for (let at = now; times.length < 4;) {
      at = nextRun(spec, at, at);
      times.push(new Date(at).toISOString().slice(0, 10));
    }
    expect(times).toEqual(["2026-12-31", "2027-01-31", "2027-03-31", "2027-05-31"]);
  });
});

describe("refusals", () => {
  const wrong = (value: unknown): never => value as never;

  test.each<[string, (crons: Crons) => void, string]>([
    [
      "no period",
      (c) => c.interval("x", wrong({}), note, { text: "" }),
      "Must specify one of seconds, minutes, or hours",
    ],
    [
      "a period of 0",
      (c) => c.interval("x", { seconds: 0 }, note, { text: "" }),
      "Interval must be an integer greater than 0",
    ],
    [
      "a period of half a second",
      (c) => c.interval("x", { seconds: 0.5 }, note, { text: "" }),
      "Interval must be an integer greater than 0",
    ],
    [
      "minute 60",
      (c) => c.hourly("x", { minuteUTC: 60 }, note, { text: "" }),
      "Minute of hour must be an integer from 0 to 59",
    ],
    [
      "hour 24",
      (c) => c.daily("x", { hourUTC: 24, minuteUTC: 0 }, note, { text: "" }),
      "Hour of day must be an integer from 0 to 23",
    ],
    [
      "day 32",
      (c) => c.monthly("x", { day: 32, hourUTC: 0, minuteUTC: 0 }, note, { text: "" }),
      "Day of month must be an integer from 1 to 31",
    ],
    [
      "a day's short name",
      (c) => c.weekly("x", { dayOfWeek: wrong("mon"), hourUTC: 0, minuteUTC: 0 }, note, { text: "" }),
      'Day of week must be a string like "monday".',
    ],
    [
      "an umlaut in the name",
      (c) => c.interval("ü", { seconds: 1 }, note, { text: "" }),
      "Invalid cron identifier ü",
    ],
    [
      "a name twice",
      (c) => {
        c.interval("x", { seconds: 1 }, note, { text: "" });
        c.interval("x", { seconds: 1 }, note, { text: "" });
      },
      "Cron identifier registered twice: x",
    ],
  ])("the convex package refuses %s", (_, define, message) => {
    expect(() => defined(define)).toThrow(message);
  });

  const cron = (text: string) => defined((c) => c.cron("x", text, note, { text: "" }));

  test.each<[string, CronSpec, CronTarget | null, string]>([
    [
      "a missing function",
      cron("* * * * *"),
      null,
      "The cron job 'x' schedules a function that does not exist: later.js:note",
    ],
    [
      "a query",
      cron("* * * * *"),
      { ...target, type: "Query" },
      "The cron job 'x' schedules a query function, only actions and mutations can be scheduled: later.js:note",
    ],
    ["an invalid cron string", cron("61 * * * *"), target, "Failed to parse cron expression"],
    [
      "a day that never comes",
      cron("0 0 31 2 *"),
      target,
      'The cron spec "0 0 31 2 *" will never match any time',
    ],
  ])("a cron with %s is refused when the functions are loaded", (_, spec, found, message) => {
    expect(cronProblem(spec, found)).toContain(message);
  });
});
