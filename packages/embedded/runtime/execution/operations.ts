import { limits } from "../checks/limits.ts";
import type { Execution } from "./execution.ts";
import { SyscallError } from "./syscall-error.ts";

/** Counts another pending operation of an execution. The limit is Convex's; the message is ours. */
export function beginOperation(execution: Execution): void {
  if (execution.operations >= limits.concurrentOperations) {
    throw new SyscallError(
      `Too many concurrent operations in a single function execution (limit: ${limits.concurrentOperations}).`,
    );
  }
  execution.operations += 1;
}

/** Runs an operation and counts it as pending meanwhile. */
export async function countOperation<T>(execution: Execution, run: () => Promise<T>): Promise<T> {
  beginOperation(execution);
  try {
    return await run();
  } finally {
    execution.operations -= 1;
  }
}
