import { expect, it } from "vitest";
import { CallLimit } from "./call-limit.ts";

it("limits the calls per second of each address", () => {
  const limit = new CallLimit(2);
  expect([1, 2, 3].map((call) => limit.admits("a", 10_000 + call))).toEqual([true, true, false]);
  expect(limit.admits("b", 10_500)).toBe(true);
  expect(limit.admits("a", 11_001)).toBe(true);
});
