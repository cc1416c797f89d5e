import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { successor } from "../../values/keys/key.ts";
import { all, collect, insertOne, mutate, where } from "../engine.fixture.ts";
import { openEngine } from "../engine.ts";
import { idKey } from "../model/index-keys.ts";
import type { Engine, Transaction } from "../model/types.ts";

let engine: Engine;
let ids: string[];

beforeEach(async () => {
  engine = openEngine({ path: ":memory:" });
  engine.applySchema([{ name: "jobs", indexes: [{ name: "by_rank", fields: ["rank"] }] }]);
  ids = [];
  for (const rank of [10, 20, 30]) ids.push(await insertOne(engine, "jobs", { rank }));
});
afterEach(() => engine.close());

/** The range of one document in by_id. */
function pointOf(documentId: string) {
  const lower = idKey(documentId);
  return { lower, upper: successor(lower) };
}

const id = (position: number): string => ids[position] as string;
const write = (transaction: Transaction): string => transaction.insert("other", {});

/** Whether a transaction that reads, then writes elsewhere, survives another one's commit in between. */
async function outcomeOf(reads: (t: Transaction) => void, other: (t: Transaction) => void): Promise<string> {
  const transaction = engine.begin();
  reads(transaction);
  write(transaction);
  await mutate(engine, other);
  return (await engine.commit(transaction)).kind;
}

const upTo = (limit: number) => (transaction: Transaction) => {
  collect(transaction, where(engine, "jobs", "by_rank"), "asc", limit);
};

describe("conflicts", () => {
  const cases: readonly [string, (t: Transaction) => void, (t: Transaction) => void, string][] = [
    [
      "a get of a document and its replacement",
      (t) => t.get(id(0)),
      (t) => t.replace(id(0), { rank: 10 }),
      "conflict",
    ],
    ["a get of a document and its removal", (t) => t.get(id(0)), (t) => t.remove(id(0)), "conflict"],
    [
      "a get of a document and the replacement of another",
      (t) => t.get(id(0)),
      (t) => t.replace(id(1), { rank: 1 }),
      "committed",
    ],
    [
      "two replacements of one document",
      (t) => t.replace(id(0), {}),
      (t) => t.replace(id(0), {}),
      "conflict",
    ],
    [
      "a removal and a replacement of one document",
      (t) => t.remove(id(0)),
      (t) => t.replace(id(0), {}),
      "conflict",
    ],
    ["two inserts", write, write, "committed"],
    [
      "a scan and an insert beyond its consumed part",
      upTo(2),
      (t) => t.insert("jobs", { rank: 25 }),
      "committed",
    ],
    [
      "a scan and an insert into its consumed part",
      upTo(2),
      (t) => t.insert("jobs", { rank: 15 }),
      "conflict",
    ],
    [
      "a scan and an insert before its first document",
      upTo(1),
      (t) => t.insert("jobs", { rank: 5 }),
      "conflict",
    ],
    ["a whole scan and an insert at its end", upTo(9), (t) => t.insert("jobs", { rank: 99 }), "conflict"],
    [
      "a scan and a replacement that keeps the key",
      upTo(1),
      (t) => t.replace(id(0), { rank: 10, x: 1 }),
      "conflict",
    ],
    ["a scan and a document that leaves it", upTo(1), (t) => t.replace(id(0), { rank: 99 }), "conflict"],
    ["a scan and a document that enters it", upTo(1), (t) => t.replace(id(2), { rank: 1 }), "conflict"],
    [
      "a scan and a document that moves beyond it",
      upTo(1),
      (t) => t.replace(id(2), { rank: 40 }),
      "committed",
    ],
    [
      "a scan of a new table and its first insert",
      (t) => collect(t, all("new")),
      (t) => t.insert("new", {}),
      "conflict",
    ],
  ];
  test.each(cases.map(([name, reads, other, expected]) => ({ name, reads, other, expected })))(
    "$name: $expected",
    async ({ reads, other, expected }) => {
      expect(await outcomeOf(reads, other)).toBe(expected);
    },
  );
});

test("a conflict names the document, writes nothing and is counted", async () => {
  const transaction = engine.begin();
  transaction.replace(id(0), { rank: 11 });
  const lost = transaction.insert("jobs", { rank: 12 });
  await mutate(engine, (other) => other.replace(id(0), { rank: 13 }));
  expect(await engine.commit(transaction)).toEqual({
    kind: "conflict",
    conflict: { table: "jobs", index: "by_id", documentId: id(0), range: pointOf(id(0)) },
  });
  const after = engine.begin();
  expect(after.get(id(0))?.["rank"]).toBe(13);
  expect(after.get(lost)).toBeNull();
  engine.discard(after);
  expect(engine.stats().conflicts).toBe(1);
});

test("a conflict names the declared index first, then creation time, then id", async () => {
  const indexOf = async (reads: (t: Transaction) => void): Promise<string | null> => {
    const transaction = engine.begin();
    reads(transaction);
    transaction.replace(id(0), { rank: 11 });
    await mutate(engine, (other) => other.replace(id(0), { rank: 10 }));
    const outcome = await engine.commit(transaction);
    return outcome.kind === "conflict" ? outcome.conflict.index : null;
  };
  const byTime = (t: Transaction) => collect(t, all("jobs"), "asc", 1);
  const byBoth = (t: Transaction): void => {
    byTime(t);
    upTo(1)(t);
  };
  expect(await indexOf(byBoth)).toBe("by_rank");
  expect(await indexOf(byTime)).toBe("by_creation_time");
  expect(await indexOf(() => undefined)).toBe("by_id");
});

test("the first colliding commit is named, not a later one", async () => {
  const transaction = engine.begin();
  transaction.replace(id(0), { rank: 11 });
  upTo(3)(transaction);
  await mutate(engine, (other) => other.insert("jobs", { rank: 15 }));
  await mutate(engine, (other) => other.replace(id(0), { rank: 12 }));
  const outcome = await engine.commit(transaction);
  expect(outcome).toMatchObject({ conflict: { index: "by_rank" } });
  expect(outcome.kind === "conflict" && outcome.conflict.documentId).not.toBe(id(0));
});

test("a read-only transaction never conflicts", async () => {
  const reader = engine.begin();
  reader.get(id(0));
  await mutate(engine, (other) => other.replace(id(0), { rank: 13 }));
  expect(await engine.commit(reader)).toEqual({ kind: "committed", ts: reader.snapshot });
});

test("a read-only transaction waits until the data it read is on disk", async () => {
  const writer = engine.begin();
  writer.insert("jobs", {});
  const order: string[] = [];
  const written = engine.commit(writer).then(() => order.push("written"));
  const reader = engine.begin();
  const seen = engine.commit(reader).then(() => order.push("read"));
  expect(engine.durable()).toBeLessThan(reader.snapshot);
  await Promise.all([written, seen]);
  expect(order).toEqual(["written", "read"]);
  expect(engine.durable()).toBe(reader.snapshot);
});

test("commits of one turn share one flush, and each has its own timestamp", async () => {
  const before = engine.stats();
  const transactions = Array.from({ length: 50 }, () => engine.begin());
  const outcomes = await Promise.all(
    transactions.map((transaction) => {
      transaction.insert("jobs", {});
      return engine.commit(transaction);
    }),
  );
  const timestamps = outcomes.map((outcome) => (outcome.kind === "committed" ? outcome.ts : null));
  expect(new Set(timestamps).size).toBe(50);
  expect(engine.stats()).toMatchObject({ commits: before.commits + 50, flushes: before.flushes + 1 });
});

test("a transaction that spans a schema change conflicts", async () => {
  const transaction = engine.begin();
  transaction.insert("jobs", { rank: 1, size: 1 });
  engine.applySchema([{ name: "jobs", indexes: [{ name: "by_size", fields: ["size"] }] }]);
  expect((await engine.commit(transaction)).kind).toBe("conflict");
  expect((await mutate(engine, (again) => again.insert("jobs", { rank: 1, size: 1 }))).outcome.kind).toBe(
    "committed",
  );
});
