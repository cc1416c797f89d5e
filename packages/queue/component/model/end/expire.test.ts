import { expect, it } from "vitest";
import { nextExpiry, ranOut } from "./expire.ts";

it.each([
  ["no end", {}, null],
  ["not begun, in time", { expiresAt: 101 }, null],
  ["not begun in time", { expiresAt: 100 }, "expiresAt"],
  ["begun", { expiresAt: 50, startedAt: 40 }, null],
  ["not done, in time", { deadlineAt: 101, startedAt: 40 }, null],
  ["not done in time", { deadlineAt: 100, startedAt: 40 }, "deadlineAt"],
  ["neither", { expiresAt: 50, deadlineAt: 60 }, "deadlineAt"],
])("of a job that is %s, at 100", (_, job, expected) => {
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
