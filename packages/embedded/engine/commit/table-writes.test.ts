import { expect, it, onTestFinished } from "vitest";
import { insertOne, mutate } from "../engine.fixture.ts";
import { openEngine } from "../engine.ts";
import type { Engine } from "../model/types.ts";

function open(): Engine {
  const engine = openEngine({ path: ":memory:" });
  onTestFinished(() => engine.close());
  engine.applySchema([
    { name: "jobs", indexes: [] },
    { name: "queue/jobs", indexes: [] },
  ]);
  return engine;
}

it("inserted, replaced and deleted documents are counted, with their stored bytes", async () => {
  const engine = open();
  const id = await insertOne(engine, "jobs", { text: "é" });
  const stored = Buffer.byteLength(JSON.stringify(engine.begin().get(id)));
  expect(engine.stats().writes).toEqual({ jobs: { inserted: 1, replaced: 0, deleted: 0, bytes: stored } });
  await mutate(engine, (transaction) => transaction.replace(id, { text: "e" }));
  await mutate(engine, (transaction) => transaction.remove(id));
  await insertOne(engine, "queue/jobs", {});
  expect(engine.stats().writes).toMatchObject({
    jobs: { inserted: 1, replaced: 1, deleted: 1, bytes: stored + stored - 1 },
    "queue/jobs": { inserted: 1, replaced: 0, deleted: 0 },
  });
});

it("a document counts once per commit, and not at all if it is inserted and removed in it", async () => {
  const engine = open();
  await mutate(engine, (transaction) => {
    const id = transaction.insert("jobs", { n: 0 });
    transaction.replace(id, { n: 1 });
    transaction.remove(transaction.insert("jobs", { n: 2 }));
  });
  expect(engine.stats().writes["jobs"]).toMatchObject({ inserted: 1, replaced: 0, deleted: 0 });
});

it("a refused commit counts nothing", async () => {
  const engine = open();
  const id = await insertOne(engine, "jobs", { n: 0 });
  const late = engine.begin();
  late.replace(id, { n: 1 });
  await mutate(engine, (transaction) => transaction.replace(id, { n: 2 }));
  expect(await engine.commit(late)).toMatchObject({ kind: "conflict" });
  expect(engine.stats().writes["jobs"]).toMatchObject({ inserted: 1, replaced: 1 });
});
