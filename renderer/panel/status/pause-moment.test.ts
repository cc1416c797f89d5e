import { expect, it } from "vitest";
import { localMoment, pauseProblem } from "./pause-moment.ts";

const now = new Date(2026, 10, 21, 14, 5, 59).getTime();

it("is a field's local time, both ways", () => {
  expect(localMoment(now)).toBe("2026-11-21T14:05");
  expect(new Date(localMoment(now)).getTime()).toBe(new Date(2026, 10, 21, 14, 5).getTime());
});

it("refuses what is no moment, past, or too far away", () => {
  expect(pauseProblem(Number.NaN, now)).toMatch(/Enter/);
  expect(pauseProblem(now, now)).toMatch(/past/);
  expect(pauseProblem(now + 400 * 86_400_000, now)).toMatch(/year/);
  expect(pauseProblem(now + 60_000, now)).toBeNull();
});
