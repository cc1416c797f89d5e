import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { IndexDefinition } from "../../values/keys/index-fields.ts";
import { all, collect, mutate, read, where } from "../engine.fixture.ts";
import { openEngine } from "../engine.ts";
import type { Engine } from "../model/types.ts";

const byA: IndexDefinition = { name: "by_a", fields: ["a"] };
const byB: IndexDefinition = { name: "by_b", fields: ["b.c"] };
let engine: Engine;

beforeEach(async () => {
  engine = openEngine({ path: ":memory:" });
  engine.applySchema([{ name: "docs", indexes: [byA] }]);
  await mutate(engine, (transaction) => {
    for (let i = 0; i < 600; i++) transaction.insert("docs", { a: i, b: { c: -i } });
  });
});
afterEach(() => engine.close());

const values = (index: string, field: string): unknown[] =>
  read(engine, (transaction) =>
    collect(transaction, where(engine, "docs", index)).map((each) => each[field]),
  );

describe("applying a schema", () => {
  test("applying a schema fills a new index with the present documents", () => {
    engine.applySchema([{ name: "docs", indexes: [byA, byB] }]);
    expect(engine.definitionOf("docs")?.indexes).toEqual([byA, byB]);
    expect(values("by_b", "a")).toEqual(Array.from({ length: 600 }, (_, i) => 599 - i));
  });

  test("applying a schema drops a removed index and keeps the documents", () => {
    engine.applySchema([]);
    expect(engine.definitionOf("docs")?.indexes).toEqual([]);
    expect(read(engine, (transaction) => collect(transaction, all("docs")))).toHaveLength(600);
    const transaction = engine.begin();
    expect(() => transaction.scan({ ...all("docs"), index: "by_a" }, "asc")).toThrow("docs.by_a not found");
    engine.discard(transaction);
  });

  test("applying a schema rebuilds an index whose fields changed", () => {
    engine.applySchema([{ name: "docs", indexes: [{ name: "by_a", fields: ["b.c"] }] }]);
    expect(values("by_a", "a")[0]).toBe(599);
  });

  test("applying an unchanged schema changes nothing, and snapshots stay", () => {
    const before = engine.durable();
    const { flushes } = engine.stats();
    engine.applySchema([{ name: "docs", indexes: [byA] }]);
    expect(engine.durable()).toBe(before);
    expect(engine.stats().flushes).toBe(flushes);
  });

  test("applying a schema includes a table that an open transaction has just created", async () => {
    const transaction = engine.begin();
    transaction.insert("fresh", { a: 1 });
    engine.applySchema([
      { name: "docs", indexes: [byA] },
      { name: "fresh", indexes: [byA] },
    ]);
    expect((await engine.commit(transaction)).kind).toBe("conflict");
    await mutate(engine, (again) => again.insert("fresh", { a: 2 }));
    expect(read(engine, (later) => collect(later, where(engine, "fresh", "by_a")))).toHaveLength(1);
  });
});
