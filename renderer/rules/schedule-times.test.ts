import { expect, it } from "vitest";
import { minuteOf, nights, timeOf, withDay } from "./schedule-times.ts";

it.each([
  [0, "00:00"],
  [425, "07:05"],
  [1_439, "23:59"],
])("shows minute %i as %s, and reads it", (minute, time) => {
  expect(timeOf(minute)).toBe(time);
  expect(minuteOf(time)).toBe(minute);
});

it("shows the day's end as its beginning, and reads nothing as no minute", () => {
  expect(timeOf(1_440)).toBe("00:00");
  expect(minuteOf("")).toBeNaN();
});

it("puts days in and takes them out, in the week's order", () => {
  expect(withDay(nights, 6, true).days).toEqual([0, 1, 2, 3, 4, 6]);
  expect(withDay(withDay(nights, 0, false), 0, true).days).toEqual([0, 1, 2, 3, 4]);
});
