import type { JSONValue } from "convex/values";
import { limits } from "../checks/limits.ts";
import { measureValue } from "../checks/measure-value.ts";
import { type Execution, isTransactional, type TransactionExecution } from "../execution/execution.ts";
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
  if (isTransactional(execution) && execution.depth > 0) return;
  const used = [
    sizeOf("Large size of the function arguments", argsJson, limits.argsBytes),
    ...(isTransactional(execution) ? transactionUse(execution) : []),
    sizeOf("Large size of the function return value", returnedJson ?? "null", limits.returnBytes),
  ];
  for (const { what, actual, limit, unit = "" } of used) {
    if (!isClose(actual, limit)) continue;
    const advice = what.includes(" read") ? ` ${readAdvice}` : "";
    warn(execution, `${what} (actual: ${actual}${unit}, limit: ${limit}${unit}).${advice}`);
  }
  const { usedMs } = execution.time;
  if (!isTransactional(execution) || !isClose(usedMs, limits.userTimeMs)) return;
  warn(
    execution,
    `Function execution took a long time. (maximum duration: ${limits.userTimeMs / 1_000}s, actual duration: ${usedMs.toFixed(1)}ms).`,
  );
}

function isClose(actual: number, limit: number): boolean {
  return actual > warnAbove * limit && actual <= limit;
}

function warn({ context }: Execution, text: string): void {
  context.logs.add(`[WARN] ${text}`);
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
      actual: usage.scheduledArgsBytes,
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
