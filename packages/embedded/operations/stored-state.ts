import { stat } from "node:fs/promises";
import type { Engine, Transaction } from "../engine/model/types.ts";
import { type ComponentPath, engineTableName } from "../names/table-name.ts";
import { runTablesOf } from "../scheduler/scheduled-function.ts";
import { pendingRange } from "../scheduler/scheduled-queries.ts";
import { storageTable } from "../storage/file-rows.ts";
import { fullRange } from "../values/keys/index-range.ts";

/** Counting goes no further: a look at the metrics must not hold up what runs. */
const maxCounted = 10_000;
const sumEveryMs = 60_000;

export type StoredStateDeps = {
  readonly engine: Engine;
  readonly components: readonly ComponentPath[];
  readonly now?: () => number;
};

/** Scheduled functions and runs of crons that wait, of all components; 10,000 where there are more. */
export function countPending({ engine, components }: StoredStateDeps): number {
  return inSnapshot(engine, (transaction) => {
    let count = 0;
    for (const table of runTablesOf(components)) {
      const scan = transaction.scan(pendingRange(table), "asc");
      while (count < maxCounted && scan.next() !== null) count++;
    }
    return count;
  });
}

/** Makes what tells the bytes of all stored files; the sum is up to a minute old. */
export function storageBytes({ engine, components, now = Date.now }: StoredStateDeps): () => number {
  let known = { bytes: 0, at: -Infinity };
  return () => {
    if (now() - known.at >= sumEveryMs) known = { bytes: sumSizes(engine, components), at: now() };
    return known.bytes;
  };
}

/** A file's size; 0 where there is none. */
export async function fileBytes(file: string): Promise<number> {
  return (await stat(file).catch(() => null))?.size ?? 0;
}

function sumSizes(engine: Engine, components: readonly ComponentPath[]): number {
  return inSnapshot(engine, (transaction) => {
    let bytes = 0;
    for (const component of components) {
      const table = engineTableName({ component, table: storageTable.name });
      const scan = transaction.scan(fullRange(table, "by_creation_time"), "asc");
      for (let entry = scan.next(); entry !== null; entry = scan.next()) {
        bytes += Number(entry.document["size"]);
      }
    }
    return bytes;
  });
}

function inSnapshot<T>(engine: Engine, read: (transaction: Transaction) => T): T {
  const transaction = engine.begin();
  try {
    return read(transaction);
  } finally {
    engine.discard(transaction);
  }
}
