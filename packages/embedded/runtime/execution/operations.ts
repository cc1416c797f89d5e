import { limits } from "../checks/limits.ts";
import { type Execution, isTransactional } from "./execution.ts";
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
