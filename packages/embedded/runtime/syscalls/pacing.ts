import type { TransactionExecution } from "../execution/execution.ts";
import type { SyscallArgs } from "./syscall-args.ts";

/** Rows of a query that a distant database would return in one trip. */
const rowsPerTrip = 100;

/**
 * Whether a call would go to a distant database. Reads would, with many rows of a query in one trip. Writes
 * stay in the transaction until its commit, and nested calls run beside their caller.
 */
export function isTrip(execution: TransactionExecution, op: string, args: SyscallArgs): boolean {
  if (op !== "1.0/queryStreamNext") return op === "1.0/get" || op === "1.0/queryPage" || op === "1.0/count";
  const { queryId } = args;
  const stream = typeof queryId === "number" ? execution.streams.get(queryId) : undefined;
  return stream !== undefined && stream.keysRead.length % rowsPerTrip === 0;
}

/**
 * Lets mutations overlap as if each database call crossed a network, at almost no cost. Waiting mutations
 * continue together in rounds, with one call each, or with all those that they have made at once. All rounds of the mutations
 * that arrived together run in one turn of the event loop, so their commits still share a flush.
 */
let next: PromiseWithResolvers<void> | null = null;
let isRunning = false;

/** Resolves when it is a mutation's turn for the database calls that it makes now. */
export function nextRound(): Promise<void> {
  next ??= Promise.withResolvers();
  if (!isRunning) {
    isRunning = true;
    // Start after the sockets were read, so that calls that have arrived meanwhile take part.
    setImmediate(runRound);
  }
  return next.promise;
}

function runRound(): void {
  const round = next;
  next = null;
  isRunning = round !== null;
  if (round === null) return;
  round.resolve();
  // A tick requested by a microtask runs after all microtasks: then every mutation has reached its next call.
  queueMicrotask(() => process.nextTick(runRound));
}
