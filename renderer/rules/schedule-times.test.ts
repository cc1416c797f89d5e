import { expect, it } from "vitest";
import { minuteOf, nights, timeOf, withDay } from "./schedule-times.ts";

it.each([
  [0, "00:00"],
  [425, "07:05"],
  [1_439, "23:59"],
])("formats minute %i as %s and parses it", (minute, time) => {
  expect(timeOf(minute)).toBe(time);
  expect(minuteOf(time)).toBe(minute);
});

it("formats the end of the day as 00:00 and parses an empty time as NaN", () => {
  expect(timeOf(1_440)).toBe("00:00");
  expect(minuteOf("")).toBeNaN();
});

it("adds and removes days in the order of the week", () => {
  expect(withDay(nights, 6, true).days).toEqual([0, 1, 2, 3, 4, 6]);
  expect(withDay(withDay(nights, 0, false), 0, true).days).toEqual([0, 1, 2, 3, 4]);
});
