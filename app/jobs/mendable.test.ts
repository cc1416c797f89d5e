import { expect, it } from "vitest";
import { jobErrors } from "../contract/job-errors.ts";
import { noRetryHelps } from "./mendable.ts";

it("says which failed jobs no retry can mend, as devices report them", () => {
  expect(noRetryHelps({ code: "context_length_exceeded" })).toContain("less text");
  for (const { code, retryable } of Object.values(jobErrors)) {
    expect([code, noRetryHelps({ code }) === null]).toEqual([code, retryable]);
  }
  expect(noRetryHelps(null)).toBeNull();
  expect(noRetryHelps({ code: "constructor" })).toBeNull();
});
