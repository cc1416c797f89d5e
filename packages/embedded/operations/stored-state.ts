import { stat } from "node:fs/promises";
import type { Engine, Transaction } from "../engine/model/types.ts";
import { type ComponentPath, engineTableName } from "../names/table-name.ts";
import { runTablesOf } from "../scheduler/scheduled-function.ts";
import { pendingRange } from "../scheduler/scheduled-queries.ts";
import { storageTable } from "../storage/file-rows.ts";
import { fullRange } from "../values/keys/index-range.ts";

/** Counting stops here, so that reading the metrics does not delay other work. */
const maxCounted = 10_000;
const sumEveryMs = 60_000;

type StoredStateDeps = {
  readonly engine: Engine;
  /** The components that are installed now. */
  readonly components: () => readonly ComponentPath[];
  /** A clock in ms; only differences count. */
  readonly now?: () => number;
};

/** Counts the pending scheduled functions and cron runs of all components. Returns at most 10,000. */
export function countPending({ engine, components }: StoredStateDeps): number {
  return inSnapshot(engine, (transaction) => {
    let count = 0;
    for (const table of runTablesOf(components())) {
      const scan = transaction.scan(pendingRange(table), "asc");
      while (count < maxCounted && scan.next() !== null) count++;
    }
    return count;
  });
}

/** Creates a function that returns the bytes of all stored files. Its result may be a minute old. */
export function storageBytes({
  engine,
  components,
  now = () => performance.now(),
}: StoredStateDeps): () => number {
  let known = { bytes: 0, at: -Infinity };
  return () => {
    if (now() - known.at >= sumEveryMs) known = { bytes: sumSizes(engine, components), at: now() };
    return known.bytes;
  };
}

/** A file's size in bytes; 0 if it does not exist. */
export async function fileBytes(file: string): Promise<number> {
  return (await stat(file).catch(() => null))?.size ?? 0;
}

function sumSizes(engine: Engine, components: () => readonly ComponentPath[]): number {
  return inSnapshot(engine, (transaction) => {
    let bytes = 0;
    for (const component of components()) {
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
