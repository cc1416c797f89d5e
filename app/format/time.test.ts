import { expect, it } from "vitest";
import {
  formatClock,
  formatDuration,
  formatMinuteOfDay,
  formatMinuteOfWeek,
  formatMoment,
  formatRelative,
  spellSeconds,
  startOfDay,
} from "./time.ts";

it.each([
  [0, "now"],
  [-4_999, "now"],
  [-5_000, "5s ago"],
  [-59_999, "59s ago"],
  [-60_000, "1m ago"],
  [-3_599_999, "59m ago"],
  [-3_600_000, "1h ago"],
  [-86_400_000, "1d ago"],
  [1, "in 1s"],
  [59_001, "in 60s"],
  [60_000, "in 1m"],
  [5_400_000, "in 2h"],
  [86_403_000, "in 1d"],
  [150_000_000, "in 2d"],
])("says that a moment %d ms from now is %s", (ms, words) => {
  expect(formatRelative(ms)).toBe(words);
});

it.each([
  [0, "0s"],
  [340.4, "0.34s"],
  [999.9, "1s"],
  [4_230, "4.2s"],
  [59_949, "59.9s"],
  [59_960, "1m"],
  [125_000, "2m 5s"],
  [3_599_600, "1h"],
  [4_320_000, "1h 12m"],
  [86_400_000, "1d"],
  [90_000_000 * 3, "3d 3h"],
])("shows a duration of %d ms in two units at most: %s", (ms, words) => {
  expect(formatDuration(ms)).toBe(words);
});

it.each([
  [0, "0 seconds"],
  [90, "1 minute, 30 seconds"],
  [3_600, "1 hour"],
  [3_661, "1 hour, 1 minute, 1 second"],
])("spells %d s exactly: %s", (seconds, words) => {
  expect(spellSeconds(seconds)).toBe(words);
});

it("names the day of a moment only if it is another day", () => {
  const at = (day: number, hours: number, minutes = 0): number =>
    new Date(2026, 10, day, hours, minutes).getTime();
  expect(formatClock(at(21, 7, 5))).toBe("07:05");
  expect(formatMoment(at(21, 14, 5), at(21, 9))).toBe("14:05");
  expect(formatMoment(at(22, 8), at(21, 23))).toBe("tomorrow 08:00");
  expect(formatMoment(at(20, 23), at(21, 1))).toBe("yesterday 23:00");
  expect(formatMoment(at(25, 8), at(21, 9))).toBe("Wed, Nov 25 08:00");
});

it("shows minutes of the day and of the week as times, up to the end of the day", () => {
  expect(formatMinuteOfWeek(24 * 60 + 605)).toBe("Tue 10:05");
  expect([0, 425, 1_440].map(formatMinuteOfDay)).toEqual(["00:00", "07:05", "24:00"]);
});

it("starts the day at the last local midnight", () => {
  const now = new Date(2026, 10, 21, 13, 30).getTime();
  expect(new Date(startOfDay(now))).toEqual(new Date(2026, 10, 21));
});
