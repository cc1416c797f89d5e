import { limits } from "../checks/limits.ts";
import type { Ticks } from "../source/loop-ticks.ts";
import { type Execution, executions, isTransactional } from "./execution.ts";
import { ExecutionLimitError } from "./execution-time.ts";
import { fuel, refuel } from "./fuel.ts";

/** Short against the limit: what is counted at a time. */
const tickMs = 100;

/** A query or a mutation waits for what is no syscall: nothing else can come to it. */
export class NeverResolvesError extends Error {
  override readonly name = "NeverResolvesError";
  readonly #isOne = true;

  /** As `instanceof`, but nothing that a function has thrown can run code in it. */
  static isOne(value: unknown): value is NeverResolvesError {
    return typeof value === "object" && value !== null && #isOne in value;
  }

  constructor() {
    super("Returned promise will never resolve");
  }
}

/**
 * Waits for a function as long as it may take. Rejects with ExecutionLimitError, also where the function has caught
 * that error itself and returned, and with NeverResolvesError.
 */
export async function withinUserTime<T>(execution: Execution, returned: Promise<T>): Promise<T> {
  const isBounded = isTransactional(execution);
  let timer: NodeJS.Timeout | undefined;
  const stopped = new Promise<never>((_, reject) => {
    execution.time.onSpent = reject;
    timer = isBounded
      ? setInterval(countWaiting(execution, reject), tickMs)
      : setTimeout(() => execution.time.spend(limits.actionTimeMs), limits.actionTimeMs);
  });
  try {
    const value = await Promise.race([returned, stopped]);
    const { error } = execution.time;
    if (error !== null) throw error;
    return value;
  } finally {
    if (isBounded) clearInterval(timer);
    else clearTimeout(timer);
    execution.time.onSpent = null;
  }
}

// A tick counts once, however late it comes, so that what others keep the process busy with does not count.
function countWaiting(execution: Execution, reject: (error: Error) => void): () => void {
  let waited = 0;
  return () => {
    if (isTransactional(execution) && execution.pendingSyscalls > 0) return;
    waited += tickMs;
    if (waited < limits.userTimeMs) return;
    if (execution.operations > 0) execution.time.spend(limits.userTimeMs);
    else reject(new NeverResolvesError());
  };
}

/** What the ticks of a bundle's loops count down and call. Its refuel throws for an execution that must not go on. */
export const executionTicks: Ticks = { fuel, refuel: () => refuel(checkExecution) };

function checkExecution(): void {
  const execution = executions.getStore();
  // While modules are loaded, the context's own time limit applies.
  if (execution === undefined) return;
  if (execution.ended)
    throw execution.time.error ?? new ExecutionLimitError("The function has ended already.");
  execution.time.checkAll();
}
