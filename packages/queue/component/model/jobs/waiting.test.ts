import { expect, it } from "vitest";
import { firstWait } from "./waiting.ts";

it.each([
  [false, false, false, null],
  [false, false, true, "turn"],
  [false, true, false, "jobs"],
  [false, true, true, "jobs"],
  [true, false, false, "time"],
  [true, false, true, "time"],
  [true, true, false, "time"],
  [true, true, true, "time"],
])("delayed %s, dependent %s, limited %s: %s", (delayed, dependent, limited, expected) => {
  expect(firstWait({ delayed, dependent, limited })).toBe(expected);
});
