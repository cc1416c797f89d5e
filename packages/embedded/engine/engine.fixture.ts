import { convexToJson, type Value } from "convex/values";
import { keyFieldsOf } from "../values/keys/index-fields.ts";
import { fullRange, type KeyRange, type RangeExpression, toKeyRange } from "../values/keys/index-range.ts";
import type { CommitOutcome, DocumentJson, Engine, ScanOrder, Transaction } from "./model/types.ts";

/** Runs and commits a mutation. The caller decides about conflicts. */
export async function mutate<T>(
  engine: Engine,
  body: (transaction: Transaction) => T,
): Promise<{ readonly result: T; readonly outcome: CommitOutcome }> {
  const transaction = engine.begin();
  const result = body(transaction);
  return { result, outcome: await engine.commit(transaction) };
}

export async function insertOne(engine: Engine, table: string, value: DocumentJson): Promise<string> {
  return (await mutate(engine, (transaction) => transaction.insert(table, value))).result;
}

/** Reads in a transaction of its own, then discards it. */
export function read<T>(engine: Engine, body: (transaction: Transaction) => T): T {
  const transaction = engine.begin();
  try {
    return body(transaction);
  } finally {
    engine.discard(transaction);
  }
}

export function collect(
  transaction: Transaction,
  range: KeyRange,
  order: ScanOrder = "asc",
  limit = Infinity,
): DocumentJson[] {
  const scan = transaction.scan(range, order);
  const documents: DocumentJson[] = [];
  while (documents.length < limit) {
    const entry = scan.next();
    if (entry === null) break;
    documents.push(entry.document);
  }
  return documents;
}

export function all(table: string): KeyRange {
  return fullRange(table, "by_creation_time");
}

/** The range of an index in which a field compares with a value in the given way. */
export function where(
  engine: Engine,
  table: string,
  index: string,
  ...comparisons: readonly [RangeExpression["type"], string, Value][]
): KeyRange {
  const keyFields = keyFieldsOf(engine.definitionOf(table), index);
  if (keyFields === null) throw new Error(`There is no index ${table}.${index}.`);
  return toKeyRange(
    { table, index, keyFields },
    comparisons.map(([type, fieldPath, value]) => ({ type, fieldPath, value: convexToJson(value) })),
  );
}
