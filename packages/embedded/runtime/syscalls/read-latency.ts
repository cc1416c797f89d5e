import type { TransactionExecution } from "../execution/execution.ts";
import type { SyscallArgs } from "./syscall-args.ts";

/** Rows of a query that come with one trip to a distant database: those after them take another. */
const ROWS_PER_TRIP = 100;

/**
 * Whether a call would go to a distant database. Reads do; the rows of one query come many at a time. Writes wait in
 * the transaction until its commit, and what a function calls runs beside it.
 */
export function isTrip(execution: TransactionExecution, op: string, args: SyscallArgs): boolean {
  if (op !== "1.0/queryStreamNext") return op === "1.0/get" || op === "1.0/queryPage" || op === "1.0/count";
  const { queryId } = args;
  const stream = typeof queryId === "number" ? execution.streams.get(queryId) : undefined;
  return stream !== undefined && stream.keysRead.length % ROWS_PER_TRIP === 0;
}
