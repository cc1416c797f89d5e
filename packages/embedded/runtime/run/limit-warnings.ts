import type { JSONValue } from "convex/values";
import { limits } from "../checks/limits.ts";
import { measureValue } from "../checks/measure-value.ts";
import {
  type ActionExecution,
  type Execution,
  isTransactional,
  type TransactionExecution,
} from "../execution/execution.ts";
import { readAdvice } from "../execution/transaction-usage.ts";

/** Convex warns when a function has used more than this part of a limit. */
const warnAbove = 0.8;
/** A character of JSON has at most as many bytes when Convex measures its value. */
const bytesPerCharacter = 5;

type Used = {
  readonly what: string;
  readonly actual: number;
  readonly limit: number;
  readonly unit?: string;
};

/** Logs Convex's warnings for the limits that a call came close to. Nested calls count for the outer one. */
export function warnOfLimits(execution: Execution, argsJson: string, returnedJson: string | null): void {
  if (isTransactional(execution)) warnOfTransaction(execution, argsJson, returnedJson);
  else warnOfAction(execution, argsJson, returnedJson);
}

function warnOfTransaction(
  execution: TransactionExecution,
  argsJson: string,
  returnedJson: string | null,
): void {
  if (execution.depth > 0) return;
  warnOfUse(execution, [
    sizeOf("Large size of the function arguments", argsJson, limits.argsBytes),
    ...transactionUse(execution),
    sizeOf("Large size of the function return value", returnedJson ?? "null", limits.returnBytes),
  ]);
  warnOfTime(execution, execution.time.usedMs, limits.userTimeMs, (ms) => `${ms.toFixed(1)}ms`);
}

function warnOfAction(execution: ActionExecution, argsJson: string, returnedJson: string | null): void {
  warnOfUse(execution, [sizeOf("Large size of the action arguments", argsJson, limits.argsBytes)]);
  warnOfRest(execution, execution.left);
  warnOfUse(execution, [
    sizeOf("Large size of the action return value", returnedJson ?? "null", limits.returnBytes),
  ]);
}

/** The same for an HTTP action, whose response has ended. @param left the operations that it has left behind */
export function warnOfHttpLimits(
  execution: ActionExecution,
  sentBytes: number,
  left: ReadonlyMap<string, number> | null,
): void {
  const what = "Large response returned from an HTTP action";
  warnOfUse(execution, [{ what, actual: sentBytes, limit: limits.httpResponseBytes, unit: " bytes" }]);
  warnOfRest(execution, left);
}

/** Warns of operations that an action has left behind, and of its time. */
function warnOfRest(execution: ActionExecution, left: ReadonlyMap<string, number> | null): void {
  const pending = [...(left ?? execution.pending)].filter(([, count]) => count > 0);
  const total = pending.reduce((sum, [, count]) => sum + count, 0);
  if (total > 0) {
    const names = [...new Set(pending.map(([name]) => shownName(name)))].sort().join(", ");
    execution.context.logs.warn(
      `${total} unawaited operation${total === 1 ? "" : "s"}: [${names}]. Async operations should be awaited or they might ` +
        "not run. See https://docs.convex.dev/functions/actions#dangling-promises for more information.",
    );
  }
  const usedMs = performance.now() - execution.startedAt;
  warnOfTime(execution, usedMs, limits.actionTimeMs, (ms) => `${ms / 1_000}s`);
}

const storageNames: ReadonlyMap<string, string> = new Map([
  ["storage/storeBlob", "storage.store"],
  ["storage/getBlob", "storage.get"],
]);

/** Convex's name for an operation in a warning. */
function shownName(operation: string): string {
  return storageNames.get(operation) ?? operation.replace("1.0/", "").replace("actions/", "");
}

function warnOfUse({ context }: Execution, used: readonly Used[]): void {
  for (const { what, actual, limit, unit = "" } of used) {
    if (!isClose(actual, limit)) continue;
    const advice = what.includes(" read") ? ` ${readAdvice}` : "";
    context.logs.warn(`${what} (actual: ${actual}${unit}, limit: ${limit}${unit}).${advice}`);
  }
}

function warnOfTime(
  { context }: Execution,
  usedMs: number,
  limitMs: number,
  format: (ms: number) => string,
): void {
  if (!isClose(usedMs, limitMs)) return;
  const [most, actual] = [`${limitMs / 1_000}s`, format(usedMs)];
  context.logs.warn(
    `Function execution took a long time. (maximum duration: ${most}, actual duration: ${actual}).`,
  );
}

function isClose(actual: number, limit: number): boolean {
  return actual > warnAbove * limit && actual <= limit;
}

function transactionUse({ usage, transaction }: TransactionExecution): readonly Used[] {
  const inFunction = "in a single function execution";
  const { largest, deepest } = usage;
  // Counting ranges takes time.
  const reads = usage.databaseQueries > warnAbove * limits.databaseQueries ? transaction.readSet.size : 0;
  const bytes = " bytes";
  return [
    { what: `Many documents read ${inFunction}`, actual: usage.documentsRead, limit: limits.documentsRead },
    { what: `Many reads ${inFunction}`, actual: reads, limit: limits.databaseQueries },
    { what: `Many bytes read ${inFunction}`, actual: usage.bytesRead, limit: limits.bytesRead, unit: bytes },
    { what: `Many writes ${inFunction}`, actual: usage.documentsWritten, limit: limits.documentsWritten },
    {
      what: `Many bytes written ${inFunction}`,
      actual: usage.bytesWritten,
      limit: limits.bytesWritten,
      unit: bytes,
    },
    {
      what: "Many functions scheduled by this mutation",
      actual: usage.functionsScheduled,
      limit: limits.functionsScheduled,
    },
    {
      what: "Large total size of the arguments of scheduled functions from this mutation",
      actual: usage.scheduledFunctionArgsBytes,
      limit: limits.scheduledArgsBytes,
      unit: bytes,
    },
    {
      what: `Large document written with ID "${largest.id}"`,
      actual: largest.amount,
      limit: limits.documentBytes,
      unit: bytes,
    },
    {
      what: `Deeply nested document written with ID "${deepest.id}"`,
      actual: deepest.amount,
      limit: limits.documentNesting,
      unit: " levels",
    },
  ];
}

/** Measures only what may be large enough. */
function sizeOf(what: string, json: string, limit: number): Used {
  const unit = " bytes";
  if (json.length * bytesPerCharacter <= warnAbove * limit) return { what, actual: 0, limit, unit };
  const measured = measureValue(JSON.parse(json) as JSONValue);
  return { what, actual: measured.kind === "refused" ? 0 : measured.bytes, limit, unit };
}
