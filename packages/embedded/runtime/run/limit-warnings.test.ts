import { expect, test } from "vitest";
import { limits } from "../checks/limits.ts";
import type { ActionExecution, TransactionExecution } from "../execution/execution.ts";
import { LogLines } from "../execution/log-lines.ts";
import { TransactionUsage } from "../execution/transaction-usage.ts";
import { warnOfHttpLimits, warnOfLimits } from "./limit-warnings.ts";

type Run = {
  readonly usedMs?: number;
  readonly depth?: number;
  readonly usage?: TransactionUsage;
  readonly ranges?: number;
};

function warningsOf({
  usedMs = 0,
  depth = 0,
  usage = new TransactionUsage(),
  ranges = 0,
}: Run): readonly string[] {
  const logs = new LogLines();
  const execution = {
    kind: "query",
    depth,
    time: { usedMs },
    context: { logs },
    usage,
    transaction: { readSet: { size: ranges } },
  };
  warnOfLimits(execution as unknown as TransactionExecution, "[{}]", "null");
  return logs.lines();
}

test("a function that computes for more than four fifths of its time is warned", () => {
  expect(warningsOf({ usedMs: 800 })).toEqual([]);
  expect(warningsOf({ usedMs: 850.25 })).toEqual([
    "[WARN] Function execution took a long time. (maximum duration: 1s, actual duration: 850.3ms).",
  ]);
  expect(warningsOf({ usedMs: 1_001 })).toEqual([]);
});

test("a nested call is not warned, since its use counts for the outer one", () => {
  expect(warningsOf({ usedMs: 900, depth: 1 })).toEqual([]);
});

test.each([
  [
    "Many documents read in a single function execution (actual: 26000, limit: 32000).",
    { documentsRead: 26_000 },
  ],
  ["Many functions scheduled by this mutation (actual: 801, limit: 1000).", { functionsScheduled: 801 }],
  [
    "Large total size of the arguments of scheduled functions from this mutation (actual: 14000000 bytes, limit: 16777216 bytes).",
    { scheduledFunctionArgsBytes: 14_000_000 },
  ],
  [
    "Many bytes written in a single function execution (actual: 14000000 bytes, limit: 16777216 bytes).",
    { bytesWritten: 14_000_000 },
  ],
])("%s", (words, used) => {
  const [line, ...others] = warningsOf({ usage: Object.assign(new TransactionUsage(), used) });
  expect(line).toMatch(`[WARN] ${words}`);
  expect(others).toEqual([]);
});

test("ranges count, and not how often one was read", () => {
  const usage = Object.assign(new TransactionUsage(), { databaseQueries: 4_000 });
  expect(warningsOf({ usage, ranges: 10 })).toEqual([]);
  expect(warningsOf({ usage, ranges: 4_000 })).toEqual([
    expect.stringMatching(
      /^\[WARN\] Many reads in a single function execution \(actual: 4000, limit: 4096\)\. Consider/,
    ),
  ]);
});

/** An action that has run for some time. */
function actionAfter(ms: number) {
  const logs = new LogLines();
  const execution = {
    kind: "action",
    context: { logs },
    startedAt: performance.now() - ms,
    pending: new Map([["fetch", 1]]),
    left: null,
  };
  return { execution: execution as unknown as ActionExecution, logs };
}

test("an action's time is compared with its half hour", () => {
  const { execution, logs } = actionAfter(25 * 60_000);
  warnOfLimits({ ...execution, left: new Map() }, "[{}]", "null");
  expect(logs.lines()).toEqual([
    expect.stringMatching(
      /^\[WARN\] Function execution took a long time\. \(maximum duration: 1800s, actual duration: 150\d\.\d+s\)\.$/,
    ),
  ]);
});

test("a large response is warned of, and operations by Convex's names in order", () => {
  const { execution, logs } = actionAfter(1);
  const operations = ["storage/storeBlob", "1.0/actions/vectorSearch", "1.0/getUserIdentity", "ended"];
  const left = new Map(operations.map((name, at) => [name, 3 - at]));
  warnOfHttpLimits(execution, limits.httpResponseBytes * 0.9, left);
  expect(logs.lines()).toEqual([
    "[WARN] Large response returned from an HTTP action (actual: 94371840 bytes, limit: 104857600 bytes).",
    expect.stringContaining("6 unawaited operations: [getUserIdentity, storage.store, vectorSearch]."),
  ]);
});

test("an action is warned even if its log is full", () => {
  const { execution, logs } = actionAfter(1);
  for (let n = 0; n < 2 * limits.logLines; n += 1) logs.add("[LOG] line");
  warnOfLimits(execution, "[{}]", "null");
  expect(logs.lines().slice(limits.logLines)).toEqual([
    expect.stringContaining("1 unawaited operation: [fetch]"),
  ]);
});
