import type { Engine, Transaction } from "../engine/types.ts";
import { describeError, type Log } from "../operations/log.ts";
import { SESSION_TABLE } from "../runtime/execution/session-requests.ts";
import { transact } from "../engine/transact.ts";
import { fullRange } from "../values/index-range.ts";

/** How long a client may be away and still be answered from its records: two weeks, as in Convex, in ms. */
const FORGET_AFTER_MS = 14 * 24 * 60 * 60 * 1000;
const SWEEP_EVERY_MS = 60 * 60 * 1000;
/** Rows of one commit: a sweep must not hold up the mutations that wait behind it. */
const BATCH = 500;

/**
 * Removes the records of sessions that never came back. Those that did have their records removed by their
 * own mutations, as they acknowledge them.
 * @param now ms since the epoch
 * @returns how many records went
 */
export async function sweepSessionRequests(engine: Engine, now: number): Promise<number> {
  let removed = 0;
  for (;;) {
    const swept = await transact(engine, (transaction) => removeBatch(transaction, now - FORGET_AFTER_MS));
    removed += swept;
    if (swept < BATCH) return removed;
  }
}

/** Sweeps now and every hour. Returns what stops it. */
export function startSessionJanitor(engine: Engine, log: Log): () => void {
  const sweep = (): void => {
    sweepSessionRequests(engine, Date.now()).catch((error: unknown) => {
      log.error("janitor.failed", { message: describeError(error) });
    });
  };
  sweep();
  const timer = setInterval(sweep, SWEEP_EVERY_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}

function removeBatch(transaction: Transaction, createdBefore: number): number {
  // Oldest first: whatever is written meanwhile comes after what this has read.
  const scan = transaction.scan(fullRange(SESSION_TABLE.name, "by_creation_time"), "asc");
  let removed = 0;
  while (removed < BATCH) {
    const document = scan.next()?.document;
    if (document === undefined || (document["_creationTime"] as number) >= createdBefore) break;
    transaction.remove(document["_id"] as string);
    removed++;
  }
  return removed;
}
