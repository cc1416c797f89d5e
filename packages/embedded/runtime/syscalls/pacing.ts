import type { TransactionExecution } from "../execution/execution.ts";
import type { SyscallArgs } from "./syscall-args.ts";

/** Rows of a query that come with one trip to a distant database: those after them take another. */
const rowsPerTrip = 100;

/**
 * Whether a call would go to a distant database. Reads do; the rows of one query come many at a time. Writes wait in
 * the transaction until its commit, and what a function calls runs beside it.
 */
export function isTrip(execution: TransactionExecution, op: string, args: SyscallArgs): boolean {
  if (op !== "1.0/queryStreamNext") return op === "1.0/get" || op === "1.0/queryPage" || op === "1.0/count";
  const { queryId } = args;
  const stream = typeof queryId === "number" ? execution.streams.get(queryId) : undefined;
  return stream !== undefined && stream.keysRead.length % rowsPerTrip === 0;
}

/**
 * Lets mutations overlap as they do where each database call crosses a network, at next to no cost: those that wait
 * go on together, one call each, in rounds. The rounds of what came in one turn of the event loop all belong to one
 * turn, too, so that its commits still share a flush.
 */
let waiting: (() => void)[] = [];
let isRunning = false;

/** Resolves when it is a mutation's turn for its next database call. */
export function nextRound(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (isRunning) return;
    isRunning = true;
    // After the sockets were read: whoever has come in meanwhile takes part.
    setImmediate(runRound);
  });
}

function runRound(): void {
  const round = waiting;
  waiting = [];
  isRunning = round.length > 0;
  for (const resume of round) resume();
  // A tick that a microtask asks for comes when all microtasks are done: everybody has come to the next call.
  if (isRunning) queueMicrotask(() => process.nextTick(runRound));
}
