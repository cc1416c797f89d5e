import type { Conflict, Engine, Timestamp, Transaction } from "../model/types.ts";

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

/** What one attempt decided: to commit what it wrote, or to leave no trace. */
export type Attempt<T> = { readonly commit: boolean; readonly result: T };

type Committed<T> =
  | { readonly kind: "finished"; readonly ts: Timestamp; readonly result: T }
  | { readonly kind: "conflicted"; readonly ts: Timestamp; readonly message: string };

type RetryOptions = {
  /** Told of each conflict, and whether the transaction is run again. */
  readonly onConflict?: (conflict: Conflict, again: boolean) => void;
  /** Added before each commit. */
  readonly commitMs?: number;
};

const maxAttempts = 5;
const firstBackoffMs = 10;
const maxBackoffMs = 2_000;

/**
 * Runs a transaction and commits it; on a conflict waits a little and runs it again on a newer snapshot, five
 * times in all. An attempt must be free to run more than once.
 */
export async function commitWithRetries<T>(
  engine: Engine,
  attempt: (transaction: Transaction) => Promise<Attempt<T>>,
  { onConflict, commitMs = 0 }: RetryOptions = {},
): Promise<Committed<T>> {
  for (let tries = 1; ; tries += 1) {
    const transaction = engine.begin();
    const { commit, result } = await attempt(transaction).catch((error: unknown) => {
      engine.discard(transaction);
      throw error;
    });
    if (!commit) {
      engine.discard(transaction);
      return { kind: "finished", ts: transaction.snapshot, result };
    }
    if (commitMs > 0) await sleep(commitMs);
    const outcome = await engine.commit(transaction);
    if (outcome.kind === "committed") return { kind: "finished", ts: outcome.ts, result };
    const again = tries < maxAttempts;
    onConflict?.(outcome.conflict, again);
    if (!again) {
      return { kind: "conflicted", ts: transaction.snapshot, message: conflictMessage(outcome.conflict) };
    }
    await sleep(backoffMs(tries, Math.random()));
  }
}

/** How long to wait before the next try: doubled each time, between half and all of it at random. */
export function backoffMs(tries: number, random: number): number {
  const full = Math.min(firstBackoffMs * 2 ** (tries - 1), maxBackoffMs);
  return full / 2 + (random * full) / 2;
}

/** As Convex words a mutation that lost every race. */
function conflictMessage({ table, documentId }: Conflict): string {
  return (
    `OptimisticConcurrencyControlFailure: Documents read from or written to the "${table}" table changed while ` +
    "this mutation was being run and on every subsequent retry. " +
    `The document with ID "${documentId}" was changed. See https://docs.convex.dev/error#1`
  );
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
