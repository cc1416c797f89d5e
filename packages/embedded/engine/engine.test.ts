import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { all, collect, insertOne, mutate, read, where } from "./engine.fixture.ts";
import { openEngine } from "./engine.ts";
import { EngineClosedError, IndexNotFoundError, SnapshotTooOldError } from "./model/errors.ts";
import type { DocumentJson, Engine } from "./model/types.ts";

const schema = [{ name: "jobs", indexes: [{ name: "by_state", fields: ["state", "rank"] }] }];
let engine: Engine;

beforeEach(() => {
  engine = openEngine({ path: ":memory:" });
  engine.applySchema(schema);
});
afterEach(() => engine.close());

const ranks = (documents: readonly DocumentJson[]): unknown[] => documents.map((each) => each["rank"]);

describe("documents", () => {
  test("an inserted document is read back with its system fields", async () => {
    const transaction = engine.begin({ now: 1_790_000_000_000 });
    const id = transaction.insert("jobs", { state: "ready", rank: 1 });
    const expected = { state: "ready", rank: 1, _id: id, _creationTime: 1_790_000_000_000 };
    expect(transaction.get(id)).toEqual(expected);
    expect(transaction.tableOf(id)).toBe("jobs");
    await engine.commit(transaction);
    expect(read(engine, (later) => later.get(id))).toEqual(expected);
  });

  test("a replacement keeps the system fields", async () => {
    const id = await insertOne(engine, "jobs", { state: "ready", rank: 1 });
    const before = read(engine, (transaction) => transaction.get(id));
    await mutate(engine, (transaction) =>
      transaction.replace(id, { state: "done", _id: "x", _creationTime: 0 }),
    );
    const after = read(engine, (transaction) => transaction.get(id));
    expect(after).toEqual({ state: "done", _id: id, _creationTime: before?.["_creationTime"] });
  });

  test("a removed document is gone from every index", async () => {
    const id = await insertOne(engine, "jobs", { state: "ready", rank: 1 });
    await mutate(engine, (transaction) => transaction.remove(id));
    read(engine, (transaction) => {
      expect(transaction.get(id)).toBeNull();
      for (const index of ["by_id", "by_creation_time", "by_state"]) {
        expect(collect(transaction, where(engine, "jobs", index))).toEqual([]);
      }
    });
  });

  test("writes to missing documents are refused in Convex's words", async () => {
    const id = await insertOne(engine, "jobs", {});
    await mutate(engine, (transaction) => transaction.remove(id));
    const transaction = engine.begin();
    expect(() => transaction.replace(id, {})).toThrow(`Update on nonexistent document ID ${id}`);
    expect(() => transaction.remove(id)).toThrow(`Delete on nonexistent document ID ${id}`);
    expect(() => transaction.remove("nonsense")).toThrow("Delete on nonexistent document ID nonsense");
    expect(transaction.get("nonsense")).toBeNull();
    expect(transaction.tableOf("nonsense")).toBeNull();
    expect(transaction.hasWrites()).toBe(false);
  });

  test("the first write creates a table that no schema names", async () => {
    expect(engine.definitionOf("notes")).toBeNull();
    expect(read(engine, (transaction) => collect(transaction, all("notes")))).toEqual([]);
    await insertOne(engine, "notes", { text: "hello" });
    expect(engine.definitionOf("notes")).toEqual({ name: "notes", indexes: [] });
    expect(read(engine, (transaction) => collect(transaction, all("notes")))).toHaveLength(1);
  });

  test("the commit timestamp is filled in at the commit, in the document and in its keys", async () => {
    engine.applySchema([{ name: "log", indexes: [{ name: "by_at", fields: ["at"] }] }]);
    const quoted = '{"$commitTs":null}';
    const { result: id, outcome } = await mutate(engine, (transaction) =>
      transaction.insert("log", { at: { $commitTs: null }, quoted }),
    );
    if (outcome.kind !== "committed") throw new Error("It conflicted.");
    read(engine, (transaction) => {
      const found = collect(transaction, where(engine, "log", "by_at", ["Eq", "at", outcome.ts]));
      expect(found.map((each) => each["_id"])).toEqual([id]);
      expect(found[0]?.["quoted"]).toBe(quoted);
    });
  });
});

describe("scans", () => {
  beforeEach(async () => {
    await mutate(engine, (transaction) => {
      for (let rank = 0; rank < 200; rank++)
        transaction.insert("jobs", { state: rank % 2 ? "odd" : "even", rank });
    });
  });

  test("a scan reads all pages in both directions", () => {
    read(engine, (transaction) => {
      const even = where(engine, "jobs", "by_state", ["Eq", "state", "even"]);
      const expected = Array.from({ length: 100 }, (_, i) => i * 2);
      expect(ranks(collect(transaction, even))).toEqual(expected);
      expect(ranks(collect(transaction, even, "desc"))).toEqual(expected.toReversed());
      expect(ranks(collect(transaction, all("jobs")))).toEqual(Array.from({ length: 200 }, (_, i) => i));
    });
  });

  test("a scan may be bounded on both sides", () => {
    const range = where(
      engine,
      "jobs",
      "by_state",
      ["Eq", "state", "odd"],
      ["Gt", "rank", 3],
      ["Lte", "rank", 9],
    );
    expect(ranks(read(engine, (transaction) => collect(transaction, range)))).toEqual([5, 7, 9]);
  });

  test("a scan sees the transaction's own writes, in order", () => {
    const transaction = engine.begin();
    const [first, second] = collect(transaction, where(engine, "jobs", "by_state", ["Eq", "state", "odd"]));
    transaction.remove(first?.["_id"] as string);
    transaction.replace(second?.["_id"] as string, { state: "odd", rank: 6.5 });
    transaction.insert("jobs", { state: "odd", rank: 4 });
    const range = where(engine, "jobs", "by_state", ["Eq", "state", "odd"], ["Lt", "rank", 8]);
    expect(ranks(collect(transaction, range))).toEqual([4, 5, 6.5, 7]);
    expect(ranks(collect(transaction, range, "desc"))).toEqual([7, 6.5, 5, 4]);
    engine.discard(transaction);
  });

  test("a scan of an undeclared index is an error", () => {
    const transaction = engine.begin();
    const range = { ...all("jobs"), index: "by_nothing" };
    expect(() => transaction.scan(range, "asc")).toThrow(IndexNotFoundError);
    expect(() => transaction.scan(range, "asc")).toThrow("Index jobs.by_nothing not found.");
  });

  test("a count agrees with a scan: with own writes, and at an earlier snapshot", async () => {
    const range = where(engine, "jobs", "by_state", ["Eq", "state", "odd"], ["Lt", "rank", 50]);
    const past = engine.begin();
    await mutate(engine, (transaction) => {
      const [first, second] = collect(transaction, range);
      transaction.remove(first?.["_id"] as string);
      transaction.replace(second?.["_id"] as string, { state: "even", rank: 3 });
      for (const rank of [4, 6, 8, 60]) transaction.insert("jobs", { state: "odd", rank });
    });
    expect([past.count(range), past.count(all("jobs"))]).toEqual([25, 200]);
    past.remove(collect(past, range)[0]?.["_id"] as string);
    past.insert("jobs", { state: "odd", rank: 10 });
    past.insert("jobs", { state: "odd", rank: 12 });
    expect(past.count(range)).toBe(collect(past, range).length);
    expect(past.count(all("jobs"))).toBe(201);
    engine.discard(past);
    read(engine, (now) => {
      expect(now.count(range)).toBe(collect(now, range).length);
      expect([now.count(range), now.count(all("jobs")), now.count(all("nothing"))]).toEqual([26, 203, 0]);
    });
  });

  test("a count reads its whole range", async () => {
    const transaction = engine.begin();
    const range = where(engine, "jobs", "by_state", ["Eq", "state", "odd"]);
    expect(transaction.count(range)).toBe(100);
    expect([...transaction.readSet.ranges]).toEqual([range]);
    transaction.insert("jobs", { state: "counted", rank: 100 });
    await insertOne(engine, "jobs", { state: "odd", rank: 500 });
    expect(await engine.commit(transaction)).toMatchObject({ kind: "conflict" });
  });

  test("a scan records only its consumed part", () => {
    const transaction = engine.begin();
    const range = where(engine, "jobs", "by_state", ["Eq", "state", "odd"]);
    transaction.scan(range, "asc");
    expect(transaction.readSet.size).toBe(0);
    collect(transaction, range, "asc", 2);
    const [consumed] = [...transaction.readSet.ranges];
    expect(consumed?.lower).toEqual(range.lower);
    expect(consumed?.upper).not.toEqual(range.upper);
    collect(transaction, range);
    expect([...transaction.readSet.ranges]).toEqual([range]);
  });
});

describe("snapshots", () => {
  test("a snapshot does not change while others commit, even within a scan", async () => {
    await mutate(engine, (transaction) => {
      for (let rank = 0; rank < 20; rank++) transaction.insert("jobs", { state: "ready", rank });
    });
    const reader = engine.begin();
    const scan = reader.scan(where(engine, "jobs", "by_state"), "asc");
    const seen = [scan.next()?.document["rank"]];
    await mutate(engine, (transaction) => {
      for (const { _id, rank } of collect(transaction, all("jobs"))) {
        if ((rank as number) % 3 === 0) transaction.remove(_id as string);
        else transaction.replace(_id as string, { state: "taken", rank: 100 - (rank as number) });
      }
      transaction.insert("jobs", { state: "ready", rank: 7.5 });
    });
    for (let entry = scan.next(); entry !== null; entry = scan.next()) seen.push(entry.document["rank"]);
    expect(seen).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(ranks(collect(reader, all("jobs"), "desc"))).toEqual(seen.toReversed());
    engine.discard(reader);
  });

  test("an earlier snapshot is readable while it is retained", async () => {
    const id = await insertOne(engine, "jobs", { rank: 1 });
    const then = engine.durable();
    await mutate(engine, (transaction) => transaction.replace(id, { rank: 2 }));
    const past = engine.begin({ snapshot: then });
    expect(past.get(id)?.["rank"]).toBe(1);
    expect(ranks(collect(past, all("jobs")))).toEqual([1]);
    engine.discard(past);
  });

  test("a dropped or future snapshot is refused", () => {
    expect(() => engine.begin({ snapshot: 0n })).toThrow(SnapshotTooOldError);
    expect(() => engine.begin({ snapshot: engine.durable() + 1n })).toThrow("future");
  });

  test("writes are visible at once, and durable only later", async () => {
    const before = engine.durable();
    const transaction = engine.begin();
    const id = transaction.insert("jobs", { rank: 1 });
    const committed = engine.commit(transaction);
    expect(engine.durable()).toBe(before);
    expect(read(engine, (next) => next.get(id))?.["rank"]).toBe(1);
    const past = engine.begin({ snapshot: before });
    expect(past.get(id)).toBeNull();
    engine.discard(past);
    expect(await committed).toEqual({ kind: "committed", ts: engine.durable() });
  });
});

describe("nested mutations", () => {
  test("rolling back a nested mutation undoes its writes, in gets and in scans, but not its reads", () => {
    const transaction = engine.begin();
    const kept = transaction.insert("jobs", { state: "ready", rank: 1 });
    const outer = transaction.savepoint();
    transaction.replace(kept, { state: "ready", rank: 2 });
    const dropped = transaction.insert("jobs", { state: "ready", rank: 3 });
    const inner = transaction.savepoint();
    transaction.remove(kept);
    transaction.rollbackTo(inner);
    expect(ranks(collect(transaction, where(engine, "jobs", "by_state")))).toEqual([2, 3]);
    const reads = transaction.readSet.size;
    transaction.rollbackTo(outer);
    expect(transaction.get(kept)?.["rank"]).toBe(1);
    expect(transaction.get(dropped)).toBeNull();
    expect(ranks(collect(transaction, where(engine, "jobs", "by_state")))).toEqual([1]);
    expect(transaction.readSet.size).toBeGreaterThanOrEqual(reads);
    expect(() => transaction.rollbackTo(outer + 1)).toThrow("no savepoint");
  });
});

describe("the end of a transaction", () => {
  test("a finished transaction allows no more reads, writes or commits", async () => {
    const transaction = engine.begin();
    const id = transaction.insert("jobs", {});
    await engine.commit(transaction);
    expect(() => transaction.get(id)).toThrow("committed or discarded");
    expect(() => transaction.insert("jobs", {})).toThrow("committed or discarded");
    await expect(engine.commit(transaction)).rejects.toThrow("committed or discarded");
  });

  test("a discarded transaction leaves nothing", async () => {
    const transaction = engine.begin();
    const id = transaction.insert("jobs", {});
    engine.discard(transaction);
    engine.discard(transaction);
    expect(read(engine, (later) => later.get(id))).toBeNull();
    await expect(engine.commit(transaction)).rejects.toThrow("committed or discarded");
  });

  test("a closed engine refuses transactions and writes", async () => {
    const transaction = engine.begin();
    await engine.close();
    await engine.close();
    expect(() => engine.begin()).toThrow(EngineClosedError);
    expect(() => transaction.insert("jobs", {})).toThrow(EngineClosedError);
  });
});
