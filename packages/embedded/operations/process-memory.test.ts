import { expect, test } from "vitest";
import { framesOf } from "./process-memory.ts";

test("describes an error by its name and frames, and quotes nothing of its message", () => {
  const message = "hunter2\n    at hunter2 (hunter2.ts:1:1)";
  const described = framesOf(new RangeError(message));
  expect(described).toMatch(/^RangeError\n {4}at .*process-memory\.test\.ts:/);
  expect(described).not.toContain("hunter2");
  expect(framesOf(message)).toBe("string");
});
