import { limits } from "../checks/limits.ts";
import { type ActionExecution, type Execution, isTransactional } from "./execution.ts";
import { SyscallError } from "./syscall-error.ts";

/**
 * Counts another pending operation of an execution. The limit is Convex's; the message is ours.
 * @param name Convex's, for its warning; null if Convex has no such operation
 */
export function beginOperation(execution: Execution, name: string | null): void {
  if (execution.operations >= limits.concurrentOperations) {
    throw new SyscallError(
      `Too many concurrent operations in a single function execution (limit: ${limits.concurrentOperations}).`,
    );
  }
  execution.operations += 1;
  countPending(execution, name, 1);
}

/** Ends an operation that was begun with this name. */
export function endOperation(execution: Execution, name: string | null): void {
  execution.operations -= 1;
  countPending(execution, name, -1);
}

/** Runs an operation and counts it as pending meanwhile. */
export async function countOperation<T>(
  execution: Execution,
  name: string | null,
  run: () => Promise<T>,
): Promise<T> {
  beginOperation(execution, name);
  try {
    return await run();
  } finally {
    endOperation(execution, name);
  }
}

/** Only actions may leave operations behind. Queries and mutations wait for all of theirs. */
function countPending(execution: Execution, name: string | null, change: number): void {
  if (name === null || isTransactional(execution)) return;
  const { pending } = execution;
  pending.set(name, (pending.get(name) ?? 0) + change);
}

/** The reason why a fetch of an ended action fails. */
const ended = new DOMException(
  "The action has ended already. Did you forget to await a promise?",
  "AbortError",
);

/**
 * Whether an error says that an operation was stopped because its action has ended. Only the reading of an answer's body rejects
 * with it: Node reads that, so code of an ended action goes on there.
 */
export function isStopped(error: unknown): boolean {
  return error === ended;
}

/** Aborts when an action ends: its requests, and the reading of their answers. */
export function endOfFetches(execution: ActionExecution): AbortSignal {
  if (execution.fetches === null) {
    const fetches = new AbortController();
    execution.fetches = fetches;
    const stop = (): void => fetches.abort(ended);
    if (execution.ended) stop();
    else execution.stops.add(stop);
  }
  return execution.fetches.signal;
}

/**
 * The result of an operation of a function. As on Convex, code of an ended action that waits for one does not go on: the promise
 * never settles, and the code's memory can be given back.
 */
export async function whileRunning<T>(execution: Execution, operation: Promise<T>): Promise<T> {
  try {
    return await operation;
  } finally {
    if (isLeft(execution)) await neverSettles();
  }
}

/** Whether code that waits for an operation of this execution must not go on. */
export function isLeft(execution: Execution): boolean {
  return execution.ended && !isTransactional(execution);
}

export function neverSettles(): Promise<never> {
  return new Promise(() => undefined);
}
