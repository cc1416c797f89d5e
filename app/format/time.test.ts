import { describe, expect, it } from "vitest";
import {
  formatAgo,
  formatClock,
  formatDuration,
  formatIn,
  formatMinuteOfWeek,
  formatMoment,
  formatMomentOfWeek,
  formatSpan,
} from "./time.ts";

describe("formatAgo", () => {
  it.each([
    [-2_000, "just now"],
    [4_999, "just now"],
    [5_000, "5 s ago"],
    [59_999, "59 s ago"],
    [60_000, "1 min ago"],
    [3_599_999, "59 min ago"],
    [3_600_000, "1 h ago"],
    [86_400_000, "1 d ago"],
  ])("%i ms → %s", (ms, words) => {
    expect(formatAgo(ms)).toBe(words);
  });
});

describe("formatIn", () => {
  it.each([
    [-1, "now"],
    [0, "now"],
    [1, "in 1 s"],
    [59_001, "in 60 s"],
    [60_000, "in 1 min"],
    [5_400_000, "in 2 h"],
  ])("%i ms → %s", (ms, words) => {
    expect(formatIn(ms)).toBe(words);
  });
});

describe("formatDuration", () => {
  it.each([
    [0, "0 ms"],
    [340.4, "340 ms"],
    [4_230, "4.2 s"],
    [59_949, "59.9 s"],
    [59_960, "1 min 00 s"],
    [125_000, "2 min 05 s"],
    [4_320_000, "1 h 12 min"],
  ])("%d ms → %s", (ms, words) => {
    expect(formatDuration(ms)).toBe(words);
  });
});

describe("formatMoment", () => {
  const at = (day: number, hours: number, minutes = 0): number =>
    new Date(2026, 10, day, hours, minutes).getTime();
  it("says the day only where it is another one", () => {
    expect(formatClock(at(21, 7, 5))).toBe("07:05");
    expect(formatMoment(at(21, 14, 5), at(21, 9))).toBe("14:05");
    expect(formatMoment(at(22, 8), at(21, 23))).toBe("tomorrow 08:00");
    expect(formatMoment(at(20, 23), at(21, 1))).toBe("yesterday 23:00");
    expect(formatMoment(at(25, 8), at(21, 9))).toBe("25 Nov 08:00");
  });
});

it.each([
  [0, "0 s"],
  [400, "< 1 s"],
  [59_400, "59 s"],
  [60_000, "1 min"],
  [3_599_000, "1 h"],
  [11_520_000, "3 h 12 min"],
  [86_400_000, "24 h"],
  [90_000_000 * 3, "3 d 3 h"],
])("spans %d ms as %s", (ms, words) => {
  expect(formatSpan(ms)).toBe(words);
});

it("names the weekday of a moment on another day", () => {
  const at = new Date(2026, 10, 23, 17, 30).getTime();
  expect(formatMomentOfWeek(at, at + 60_000)).toBe("17:30");
  expect(formatMomentOfWeek(at, at + 86_400_000)).toBe("Mon 23 Nov 17:30");
  expect(formatMinuteOfWeek(24 * 60 + 605)).toBe("Tue 10:05");
});
