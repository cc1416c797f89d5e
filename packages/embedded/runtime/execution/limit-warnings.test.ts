import { expect, test } from "vitest";
import type { TransactionExecution } from "./execution.ts";
import { warnOfLimits } from "./limit-warnings.ts";
import { LogLines } from "./log-lines.ts";
import { TransactionUsage } from "./transaction-usage.ts";

/** What a run is that has computed for a time; as a nested call if `depth` says so. */
function warningsAfter(usedMs: number, depth = 0): readonly string[] {
  const logs = new LogLines();
  const execution = {
    kind: "query",
    depth,
    time: { usedMs },
    context: { logs },
    usage: new TransactionUsage(),
    transaction: { readSet: { size: 0 } },
  };
  warnOfLimits(execution as unknown as TransactionExecution, "[{}]", "null");
  return logs.lines();
}

test("a function that computes for more than four fifths of its time is warned", () => {
  expect(warningsAfter(800)).toEqual([]);
  expect(warningsAfter(850.25)).toEqual([
    "[WARN] Function execution took a long time. (maximum duration: 1s, actual duration: 850.3ms).",
  ]);
  expect(warningsAfter(1_001)).toEqual([]);
});

test("a nested call is not warned, since its use counts for the outer one", () => {
  expect(warningsAfter(900, 1)).toEqual([]);
});
