import type { KeyRange } from "../../values/keys/index-range.ts";
import type { Engine, Transaction } from "../model/types.ts";
import { transact } from "./transact.ts";

/** Rows of one commit: a sweep must not hold up the mutations that wait behind it. */
const batch = 500;

/**
 * Removes the rows of a range in transactions of bounded size, the lowest keys first, until none is left or the
 * signal says stop. Whatever is written above the range meanwhile collides with none of it.
 * @returns how many rows went
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
