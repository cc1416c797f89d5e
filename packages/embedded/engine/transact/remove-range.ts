import type { KeyRange } from "../../values/keys/index-range.ts";
import type { Engine, Transaction } from "../model/types.ts";
import { transact } from "./transact.ts";

/** Rows per commit: a sweep must not delay the mutations behind it. */
const batch = 500;

/**
 * Removes a range's rows in transactions of bounded size, lowest keys first, until none is left or the signal
 * aborts. Writes above the range do not conflict with it.
 * @returns the number of removed rows
 */
export async function removeRange(engine: Engine, range: KeyRange, signal?: AbortSignal): Promise<number> {
  let removed = 0;
  while (signal?.aborted !== true) {
    const swept = await transact(engine, (transaction) => removeBatch(transaction, range));
    removed += swept;
    if (swept < batch) break;
  }
  return removed;
}

function removeBatch(transaction: Transaction, range: KeyRange): number {
  const scan = transaction.scan(range, "asc");
  let removed = 0;
  while (removed < batch) {
    const entry = scan.next();
    if (entry === null) break;
    transaction.remove(entry.document["_id"] as string);
    removed += 1;
  }
  return removed;
}
