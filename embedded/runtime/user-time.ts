import type { TransactionExecution } from "./execution.ts";
import { LIMITS } from "./limits.ts";

/** Short against the limit: what is counted at a time. */
const TICK_MS = 100;

/** A query or a mutation took longer than it may. */
export class UserTimeError extends Error {
  override readonly name = "UserTimeError";

  constructor() {
    super(`Function execution timed out (maximum duration: ${LIMITS.userTimeMs / 1_000}s)`);
  }
}

/**
 * Waits for a query or a mutation as long as it may take. Its syscalls do not count, nor does what others keep
 * the process busy with: a tick counts once, however late it comes. Rejects with UserTimeError. A function
 * that never yields is not found, since no tick comes then.
 */
export async function withinUserTime<T>(execution: TransactionExecution, returned: Promise<T>): Promise<T> {
  let used = 0;
  let ticks: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    ticks = setInterval(() => {
      if (execution.pendingSyscalls > 0) return;
      used += TICK_MS;
      if (used >= LIMITS.userTimeMs) reject(new UserTimeError());
    }, TICK_MS);
  });
  try {
    return await Promise.race([returned, timedOut]);
  } finally {
    clearInterval(ticks);
  }
}
