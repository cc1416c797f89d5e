import { limits } from "../checks/limits.ts";
import { type ActionExecution, type Execution, isTransactional } from "./execution.ts";
import { rejectionsReported } from "./uncaught.ts";

/** Interval of the count, in ms; short compared to the limit. */
const tickMs = 100;

/** A query or a mutation awaits a promise that is not a syscall. No such promise can ever resolve. */
export class NeverResolvesError extends Error {
  override readonly name = "NeverResolvesError";
  // oxlint-disable-next-line no-unused-private-class-members -- the rule overlooks `#isOne in value`
  readonly #isOne = true;

  /** Like `instanceof`, but cannot run code of a value that a function has thrown. */
  static isOne(value: unknown): value is NeverResolvesError {
    return typeof value === "object" && value !== null && #isOne in value;
  }

  constructor() {
    super("Returned promise will never resolve");
  }
}

/**
 * Waits for a function within its time limit. Rejects with NeverResolvesError or ExecutionLimitError; with the
 * latter even if the function caught that error and returned. Rejects with an error that nothing caught, such as a timer's.
 */
export async function withinUserTime<T>(execution: Execution, returned: Promise<T>): Promise<T> {
  const isBounded = isTransactional(execution);
  let timer: NodeJS.Timeout | undefined;
  const stopped = new Promise<never>((_, reject) => {
    execution.time.onSpent = reject;
    execution.fail = reject;
    timer = isBounded
      ? setInterval(countWaiting(execution, reject), tickMs)
      : setTimeout(() => execution.time.spend(limits.actionTimeMs), limits.actionTimeMs);
  });
  try {
    const ended = isTransactional(execution) ? returned : withoutRejections(execution, returned);
    const value = await Promise.race([ended, stopped]);
    const { error } = execution.time;
    if (error !== null) throw error;
    return value;
  } finally {
    if (isBounded) clearInterval(timer);
    else clearTimeout(timer);
    execution.time.onSpent = null;
    execution.fail = null;
  }
}

/** Waits for an action until `execution.fail` has got the rejections that it left behind, and notes its pending operations. */
async function withoutRejections<T>(execution: ActionExecution, returned: Promise<T>): Promise<T> {
  try {
    const value = await returned;
    execution.left = new Map(execution.pending);
    await rejectionsReported();
    return value;
  } finally {
    execution.left ??= new Map(execution.pending);
  }
}

// A late tick counts as one, so that time in which other work keeps the process busy is not charged.
function countWaiting(execution: Execution, reject: (error: Error) => void): () => void {
  let waited = 0;
  return () => {
    if (isTransactional(execution) && execution.pendingWaits > 0) return;
    waited += tickMs;
    if (waited < limits.userTimeMs) return;
    if (execution.operations > 0) execution.time.spend(limits.userTimeMs);
    else reject(new NeverResolvesError());
  };
}
