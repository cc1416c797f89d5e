import { describe, expect, it } from "vitest";
import { type Ending, isOrderly, outcomeAtExit } from "./process-exit.ts";

type Expected = readonly [Ending | null, boolean, string];

const endings: readonly Expected[] = [
  ["abort", true, "runner_crashed"],
  ["yield", true, "aborted"],
  ["rest", true, "aborted"],
  ["silence", false, "runner_timeout"],
  ["memory", false, "out_of_memory"],
  [null, false, "runner_crashed"],
];

describe("a process that ended", () => {
  it.each(endings)("by %s: whether the next job may be tried at once: %s", (ending, orderly) => {
    expect(isOrderly(ending)).toBe(orderly);
  });

  it.each(endings)("by %s: what becomes of a job that nobody had asked to stop", (ending, _orderly, word) => {
    const outcome = outcomeAtExit(ending, false);
    expect(outcome.kind === "failed" ? outcome.error.code : outcome.kind).toBe(word);
    if (outcome.kind === "failed") expect(outcome.error.retryable).toBe(true);
  });

  it.each(endings)("by %s: a job that had been asked to stop has stopped", (ending) => {
    expect(outcomeAtExit(ending, true)).toEqual({ kind: "aborted" });
  });
});
