import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { refuel } from "./fuel.ts";

/** Never goes back, as the real one. */
let now = performance.now();

beforeEach(() => {
  now += 1_000;
  vi.spyOn(performance, "now").mockImplementation(() => now);
});
afterEach(() => void vi.restoreAllMocks());

test("executions are checked once in a millisecond, and a check that did not look postpones none", () => {
  const check = vi.fn(() => true);
  refuel(check);
  now += 0.9;
  refuel(check);
  expect(check).toHaveBeenCalledTimes(1);
  now += 0.1;
  refuel(() => false);
  refuel(check);
  expect(check).toHaveBeenCalledTimes(2);
});
