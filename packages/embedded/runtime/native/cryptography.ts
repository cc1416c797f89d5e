import { type Execution, isTransactional } from "../execution/execution.ts";
import { ThreadShare } from "./thread-share.ts";

/** Node's four threads also put commits on disk, so cryptography must leave some of them free. */
const threads = new ThreadShare<Execution>(2);

/** About ten seconds of a thread: a hundred times what is advised for a password. */
const mostRounds = 2 ** 24;
/** The shortest hash of PBKDF2, in bits. Each one that a key needs takes all rounds. */
const shortestHash = 160;
/** Longer RSA keys take minutes. */
const longestModulus = 8_192;

/**
 * Runs a method of Web Crypto on a thread for a function. A function that would need a thread for minutes fails at once, because
 * nothing can end such a task.
 * @param args of the method
 */
export async function onThread<T>(
  execution: Execution,
  args: readonly unknown[],
  task: () => Promise<T>,
): Promise<T> {
  if (takesMinutes(args)) execution.time.exceed();
  const stopWaiting = startWaiting(execution);
  return threads.run(execution, () => {
    stopWaiting();
    // Other work may have failed the function meanwhile.
    if (execution.ended) throw new Error("The function has ended already.");
    return task();
  });
}

/** While a query or a mutation waits, its time does not pass. */
function startWaiting(execution: Execution): () => void {
  if (!isTransactional(execution)) return () => undefined;
  execution.pendingWaits += 1;
  return () => {
    execution.pendingWaits -= 1;
  };
}

function takesMinutes([algorithm, , length]: readonly unknown[]): boolean {
  if (typeof algorithm !== "object" || algorithm === null) return false;
  const { iterations, modulusLength } = algorithm as { iterations?: unknown; modulusLength?: unknown };
  const hashes = typeof length === "number" ? Math.max(1, length / shortestHash) : 1;
  return Number(iterations ?? 0) * hashes > mostRounds || Number(modulusLength ?? 0) > longestModulus;
}
