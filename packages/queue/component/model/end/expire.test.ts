import { expect, it } from "vitest";
import { nextExpiry, ranOut } from "./expire.ts";

it.each([
  ["without limits", {}, null],
  ["that has time to begin", { expiresAt: 101 }, null],
  ["that has not begun in time", { expiresAt: 100 }, "expiresAt"],
  ["that has begun", { expiresAt: 50, startedAt: 40 }, null],
  ["that has time to end", { deadlineAt: 101, startedAt: 40 }, null],
  ["that has not ended in time", { deadlineAt: 100, startedAt: 40 }, "deadlineAt"],
  ["that has done neither", { expiresAt: 50, deadlineAt: 60 }, "deadlineAt"],
])("finds the limit that a job %s has exceeded", (_, job, expected) => {
  expect(ranOut(job, 100)).toBe(expected);
});

it.each([
  [{}, null],
  [{ expiresAt: 100 }, null],
  [{ expiresAt: 101 }, 101],
  [{ expiresAt: 50, deadlineAt: 200 }, 200],
  [{ expiresAt: 300, deadlineAt: 200 }, 200],
])("the next time limit of %o after 100 is %s", (job, expected) => {
  expect(nextExpiry(job, 100)).toBe(expected);
});
