import { describe, expect, it } from "vitest";
import { type EndReason, isOrderly, outcomeAtExit } from "./process-exit.ts";

type Expected = readonly [EndReason | null, boolean, string];

const exits: readonly Expected[] = [
  ["abort", true, "runner_crashed"],
  ["yield", true, "aborted"],
  ["rest", true, "aborted"],
  ["silence", false, "runner_timeout"],
  ["memory", false, "out_of_memory"],
  [null, false, "runner_crashed"],
];

describe("a process that exited", () => {
  it.each(exits)("after %s: is orderly: %s", (reason, orderly) => {
    expect(isOrderly(reason)).toBe(orderly);
  });

  it.each(exits)(
    "after %s: fails or aborts a job that was not asked to stop",
    (reason, _orderly, expected) => {
      const outcome = outcomeAtExit(reason, false);
      expect(outcome.kind === "failed" ? outcome.error.code : outcome.kind).toBe(expected);
      if (outcome.kind === "failed") expect(outcome.error.retryable).toBe(true);
    },
  );

  it.each(exits)("after %s: a job that was asked to stop is aborted", (reason) => {
    expect(outcomeAtExit(reason, true)).toEqual({ kind: "aborted" });
  });
});
