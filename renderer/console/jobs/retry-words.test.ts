import { expect, it } from "vitest";
import { saidOfRetry, saidOfRetryAll } from "./retry-words.ts";

it("says what became of a dead letter", () => {
  expect(saidOfRetry({ kind: "ready" })).toEqual({ words: "The job is ready again." });
  expect(saidOfRetry({ kind: "quota-exceeded" }).tone).toBe("bad");
});

it("says how many of all were tried again", () => {
  expect(saidOfRetryAll({ started: 0, more: false }).tone).toBe("bad");
  expect(saidOfRetryAll({ started: 1, more: false }).words).toBe("One job is ready again.");
  expect(saidOfRetryAll({ started: 12, more: false }).words).toBe("12 jobs are ready again.");
  expect(saidOfRetryAll({ started: 0, more: true }).tone).toBeUndefined();
});
