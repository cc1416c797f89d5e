import type { DocumentJson, Engine, Transaction } from "../engine/model/types.ts";
import { commitWithRetries } from "../engine/transact/transact.ts";
import { fullRange } from "../values/keys/index-range.ts";

/** Changes rows of the backend's own tables. Retries until the commit has no conflict. */
export async function change<T>(engine: Engine, body: (transaction: Transaction) => T): Promise<T> {
  for (;;) {
    const committed = await commitWithRetries(engine, (transaction) =>
      Promise.resolve({ commit: true, result: body(transaction) }),
    );
    if (committed.kind === "finished") return committed.result;
  }
}

/** Returns a table's rows, the newest first. */
export function newestFirst(transaction: Transaction, table: string): readonly DocumentJson[] {
  const scan = transaction.scan(fullRange(table, "by_creation_time"), "desc");
  const rows: DocumentJson[] = [];
  for (let entry = scan.next(); entry !== null; entry = scan.next()) rows.push(entry.document);
  return rows;
}

/** Changes fields of a row, if it still exists. */
export function patch(transaction: Transaction, id: string, fields: DocumentJson): void {
  const row = transaction.get(id);
  if (row === null) return;
  const { _id, _creationTime, ...others } = row;
  transaction.replace(id, { ...others, ...fields });
}
