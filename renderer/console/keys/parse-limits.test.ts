import { expect, it } from "vitest";
import { parseLimits } from "./parse-limits.ts";

it("accepts whole numbers, and an empty field for no limit", () => {
  expect(parseLimits(" 4 ", "16")).toEqual({ kind: "ok", limits: { concurrency: 4, weight: 16 } });
  expect(parseLimits("", "")).toEqual({ kind: "ok", limits: { concurrency: null, weight: null } });
});

it.each(["0", "-1", "1.5", "1e3", "many", "1001"])("refuses %s as a number of jobs at once", (typed) => {
  expect(parseLimits(typed, "1")).toEqual({
    kind: "wrong",
    concurrency: "Must be a whole number from 1 to 1,000.",
    weight: null,
  });
});

it("refuses a weight above its bound", () => {
  expect(parseLimits("1", "17")).toMatchObject({ concurrency: null, weight: expect.stringContaining("16") });
});
