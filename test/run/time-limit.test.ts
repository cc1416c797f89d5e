import { expect, it } from "vitest";
import { TimeLimit } from "./time-limit.ts";

it("allows a step that usually ends in time", () => {
  const limit = new TimeLimit(1_000);
  expect(limit.allows(1_000, 0)).toBe(true);
  expect(limit.allows(1_001, 0)).toBe(false);
  limit.ended(600);
  expect(limit.allows(400, 600)).toBe(true);
  // A fast machine may slow down again.
  expect(limit.allows(700, 400)).toBe(false);
});

it("expects a step to be as slow as those before", () => {
  const limit = new TimeLimit(1_000);
  limit.ended(300);
  expect(limit.allows(200, 600)).toBe(true);
  expect(limit.allows(201, 600)).toBe(false);
});
