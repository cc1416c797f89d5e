import { expect, it } from "vitest";
import { retryAllNotice, retryNotice } from "./retry-words.ts";

it("tells whether a dead letter is retried", () => {
  expect(retryNotice({ kind: "ready" })).toEqual({ words: "The job is ready again." });
  expect(retryNotice({ kind: "quota-exceeded" }).tone).toBe("bad");
});

it("tells how many dead letters are retried", () => {
  expect(retryAllNotice({ started: 0, more: false }).tone).toBe("bad");
  expect(retryAllNotice({ started: 1, more: false }).words).toBe("One job is ready again.");
  expect(retryAllNotice({ started: 12, more: false }).words).toBe("12 jobs are ready again.");
  expect(retryAllNotice({ started: 0, more: true }).tone).toBeUndefined();
});
