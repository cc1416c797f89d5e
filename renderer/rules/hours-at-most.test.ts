import { expect, it } from "vitest";
import { hoursAtMost } from "./hours-at-most.ts";

const daily = (...low: readonly number[]): number[] =>
  Array.from({ length: 24 }, (_, hour) => (low.includes(hour) ? 100 : 400));
const every = [0, 1, 2, 3, 4, 5, 6];

it("takes consecutive hours of each day as one window", () => {
  expect(hoursAtMost(daily(0, 1, 12, 13, 14, 23).join(" "), "100")).toEqual({
    kind: "ok",
    hours: 42,
    windows: [
      { days: every, fromMinute: 0, toMinute: 120 },
      { days: every, fromMinute: 720, toMinute: 900 },
      { days: every, fromMinute: 1_380, toMinute: 1_440 },
    ],
  });
});

it("keeps the days of a week apart, from Monday", () => {
  const week = [...daily(12), ...daily(12, 13), ...daily(), ...daily(), ...daily(), ...daily(12), ...daily()];
  expect(hoursAtMost(week.join("\n"), "399.9")).toEqual({
    kind: "ok",
    hours: 4,
    windows: [
      { days: [0, 5], fromMinute: 720, toMinute: 780 },
      { days: [1], fromMinute: 720, toMinute: 840 },
    ],
  });
});

it("takes all hours as whole days", () => {
  expect(hoursAtMost(daily().join(";"), "400")).toEqual({
    kind: "ok",
    hours: 168,
    windows: [{ days: every, fromMinute: 0, toMinute: 1_440 }],
  });
});

it.each([",", ", ", " ", "\n", ";", "; ", "\t"])("reads prices between %j", (separator) => {
  const prices = Array.from({ length: 24 }, (_, hour) => (hour === 3 ? "-0.5" : "31.25")).join(separator);
  expect(hoursAtMost(prices, "0")).toMatchObject({ windows: [{ fromMinute: 180, toMinute: 240 }] });
});

it.each([
  ["", "1", "values", "Enter 24 or 168 numbers."],
  ["1 2 3", "1", "values", "These are 3 numbers. Enter 24 or 168."],
  ["1 two 3", "1", "values", "“two” is no number."],
  [daily().join(" "), "", "limit", "Must be a number."],
  [daily().join(" "), "1e3", "limit", "Must be a number."],
  [daily().join(" "), "399", "limit", "Every hour is above it."],
])("says why %j and %j are wrong", (values, limit, part, why) => {
  expect(hoursAtMost(values, limit)).toEqual({ kind: "wrong", part, why });
});

it("refuses more windows than a rule has", () => {
  /** A day of windows of so many hours, an hour apart, from an hour on. */
  const day = (length: number, from: number): number[] =>
    daily(
      ...Array.from({ length: 24 }, (_, hour) => hour).filter(
        (hour) => hour >= from && (hour - from) % (length + 1) < length,
      ),
    );
  const week = [day(1, 0), day(1, 1), day(2, 0), day(2, 1), day(2, 2), day(3, 0), day(3, 0)].flat();
  const why = "These are 53 separate times, and a rule has at most 50.";
  expect(hoursAtMost(week.join(" "), "100")).toEqual({ kind: "wrong", part: "limit", why });
});
