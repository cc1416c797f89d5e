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
  it.each(exits)("tells whether an exit with reason %s is orderly: %s", (reason, orderly) => {
    expect(isOrderly(reason)).toBe(orderly);
  });

  it.each(exits)("fails or aborts other jobs after an exit with reason %s", (reason, _orderly, expected) => {
    const outcome = outcomeAtExit(reason, false);
    expect(outcome.kind === "failed" ? outcome.error.code : outcome.kind).toBe(expected);
    if (outcome.kind === "failed") expect(outcome.error.retryable).toBe(true);
  });

  it.each(exits)("aborts a job that was asked to stop after an exit with reason %s", (reason) => {
    expect(outcomeAtExit(reason, true)).toEqual({ kind: "aborted" });
  });
});
