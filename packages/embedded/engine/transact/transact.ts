import type { Engine, Transaction } from "../model/types.ts";
import { commitWithRetries } from "./commit-with-retries.ts";

/**
 * Writes in a transaction of its own and returns when that is on disk. Rejects where it lost every race, and with
 * what the body throws; nothing is written then. The body must be free to run more than once.
 */
export async function transact<T>(engine: Engine, body: (transaction: Transaction) => T): Promise<T> {
  const committed = await commitWithRetries(engine, async (transaction) => ({
    commit: true,
    result: body(transaction),
  }));
  if (committed.kind === "conflicted") throw new Error(committed.message);
  return committed.result;
}
