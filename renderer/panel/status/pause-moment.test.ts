import { expect, it } from "vitest";
import { localMoment, pauseProblem } from "./pause-moment.ts";

const now = new Date(2026, 10, 21, 14, 5, 59).getTime();

it("formats a moment as local time, and parses back to it", () => {
  expect(localMoment(now)).toBe("2026-11-21T14:05");
  expect(new Date(localMoment(now)).getTime()).toBe(new Date(2026, 10, 21, 14, 5).getTime());
});

it("refuses an invalid moment, a past one and one after a year", () => {
  expect(pauseProblem(Number.NaN, now)).toMatch(/Enter/);
  expect(pauseProblem(now, now)).toMatch(/past/);
  expect(pauseProblem(now + 400 * 86_400_000, now)).toMatch(/year/);
  expect(pauseProblem(now + 60_000, now)).toBeNull();
});
