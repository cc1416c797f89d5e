import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StagingFile } from "../../backup/import/staging-file.ts";
import { encodeDocumentId } from "../../values/document-id.ts";
import { searchIndexFields } from "../../values/keys/search-definition.ts";
import { insertOne, mutate, read } from "../engine.fixture.ts";
import { openEngine } from "../engine.ts";
import type { Engine } from "../model/types.ts";
import { notes, runSteps, search, texts } from "./search.fixture.ts";

let folder: string;
let path: string;
let engine: Engine;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "search-maintenance-"));
  path = join(folder, "data.sqlite");
  engine = openEngine({ path });
});
afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const found = (from: Engine, text: string, filters: Parameters<typeof texts>[2] = []) =>
  read(from, (transaction) => texts(transaction, text, filters));

test("a new search index has the documents that are there", async () => {
  engine.applySchema([{ name: "notes", indexes: [] }]);
  await mutate(engine, (transaction) => {
    for (let n = 0; n < 300; n++) transaction.insert("notes", { text: `note ${n}` });
  });
  engine.applySchema([notes]);
  expect(found(engine, "note")).toHaveLength(300);
  expect(found(engine, "299")).toEqual(["note 299"]);
});

test("an index with other fields is made again, and one that is not declared is gone", async () => {
  engine.applySchema([notes]);
  await insertOne(engine, "notes", { text: "in text", title: "in title", lane: "x" });
  const fields = searchIndexFields({ kind: "text", searchField: "title", filterFields: [] });
  engine.applySchema([{ name: "notes", indexes: [{ name: "search_text", fields }] }]);
  expect(found(engine, "in")).toEqual(["in text"]);
  expect(found(engine, "title")).toEqual(["in text"]);
  expect(found(engine, "text")).toEqual([]);
  engine.applySchema([{ name: "notes", indexes: [] }]);
  expect(() => found(engine, "title")).toThrow("Index notes.search_text not found.");
});

test("filter fields in another order are the same index", () => {
  const fieldsOf = (...filterFields: string[]) =>
    searchIndexFields({ kind: "text", searchField: "text", filterFields });
  expect(fieldsOf("a", "b", "a")).toEqual(fieldsOf("b", "a"));
});

test("after a crash the log's documents are found, and those that it changed or deleted are not", async () => {
  engine.applySchema([notes]);
  const [changed, deleted] = [
    await insertOne(engine, "notes", { text: "early one", lane: "x" }),
    await insertOne(engine, "notes", { text: "early two", lane: "x" }),
  ];
  // Moves what is there into the tables. Later commits are in the log.
  await engine.close();
  engine = openEngine({ path });
  await mutate(engine, (transaction) => transaction.replace(changed, { text: "late one", lane: "y" }));
  await mutate(engine, (transaction) => transaction.remove(deleted));
  await insertOne(engine, "notes", { text: "late three", lane: "x" });
  const copy = join(folder, "copy.sqlite");
  for (const end of ["", "-wal"]) copyFileSync(path + end, copy + end);
  const crashed = openEngine({ path: copy });
  expect(found(crashed, "early")).toEqual([]);
  expect(found(crashed, "late")).toEqual(["late three", "late one"]);
  expect(found(crashed, "late", [{ at: 0, value: "x" }])).toEqual(["late three"]);
  const scores = (from: Engine) => read(from, (transaction) => search(transaction, "late"));
  expect(scores(crashed)).toEqual(scores(engine));
  await crashed.close();
});

test("imported documents are found, and replaced ones are not", async () => {
  engine.applySchema([notes]);
  await insertOne(engine, "notes", { text: "old text" });
  expect(found(engine, "text")).toEqual(["old text"]);
  const file = join(folder, "staging");
  const staging = new StagingFile(file);
  staging.declare("notes", notes.indexes);
  for (const n of [1, 2]) {
    const _id = encodeDocumentId({ tableNumber: 20_000, internalId: new Uint8Array(16).fill(n) });
    staging.add("notes", { text: `new text ${n}`, _id, _creationTime: n });
  }
  staging.close();
  const tables = [{ ...notes, number: 20_000, append: false }];
  expect(engine.placeTables({ file, tables, drop: [] }).kind).toBe("done");
  expect(found(engine, "text")).toEqual(["new text 2", "new text 1"]);
});

test("documents that come and go while the first search counts are counted once", async () => {
  engine.applySchema([notes]);
  const ids: string[] = [];
  await mutate(engine, (transaction) => {
    for (let n = 0; n < 3_000; n++) ids.push(transaction.insert("notes", { text: `note ${n}` }));
  });
  const transaction = engine.begin();
  const steps = transaction.searchText("notes", "search_text", { terms: ["note"], filters: [] });
  for (let step = 0; step < 2; step++) expect(steps.next().done).toBe(false);
  await mutate(engine, (other) => {
    for (const id of [ids[0], ids[2_999]]) other.remove(id as string);
    for (let n = 0; n < 5; n++) other.insert("notes", { text: "a much longer note" });
  });
  const slowly = runSteps(steps);
  engine.discard(transaction);
  const after = read(engine, (later) => search(later, "longer"));
  await engine.close();
  engine = openEngine({ path });
  expect(read(engine, (later) => search(later, "longer"))).toEqual(after);
  expect(slowly.map(({ score }) => score)).toEqual(slowly.map(() => slowly[0]?.score));
});

test("a large text is indexed in reasonable time", async () => {
  engine.applySchema([notes]);
  const text = Array.from({ length: 100_000 }, (_, n) => `t${(n * 7_919) % 100_000}`).join(" ");
  const started = performance.now();
  await mutate(engine, (transaction) => {
    transaction.insert("notes", { text });
    transaction.insert("notes", { text: `${text} again` });
  });
  expect(performance.now() - started).toBeLessThan(15_000);
  expect(found(engine, "t99999")).toHaveLength(2);
});
