import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { insertOne, mutate, read } from "../engine.fixture.ts";
import { openEngine } from "../engine.ts";
import type { Engine } from "../model/types.ts";
import { notes, search, texts } from "./search.fixture.ts";
import { mostTextMatches } from "./text-search.ts";

let engine: Engine;

beforeEach(() => {
  engine = openEngine({ path: ":memory:" });
  engine.applySchema([notes]);
});
afterEach(() => engine.close());

const insert = (text: string, fields: Record<string, string | Record<string, string>> = {}) =>
  insertOne(engine, "notes", { text, ...fields });
const found = (text: string, filters: Parameters<typeof texts>[2] = []) =>
  read(engine, (transaction) => texts(transaction, text, filters));

describe("matches", () => {
  test("documents with any of the terms match, best first", async () => {
    for (const text of ["apple", "banana", "apple banana", "cherry"]) await insert(text);
    expect(found("apple banana")).toEqual(["apple banana", "banana", "apple"]);
  });

  test("of equal scores the newest is first", async () => {
    for (const text of ["one same", "two same", "six same"]) await insert(text);
    expect(found("same")).toEqual(["six same", "two same", "one same"]);
  });

  test("a term that occurs more often, in a shorter text, or in fewer documents scores higher", async () => {
    for (const text of ["fig", "fig fig pear", "fig pear pear pear pear pear", "lime fig"])
      await insert(text);
    expect(found("fig lime")[0]).toBe("lime fig");
    expect(found("fig")).toEqual(["fig fig pear", "fig", "lime fig", "fig pear pear pear pear pear"]);
  });

  test("only the last term also matches longer terms, which count half", async () => {
    for (const text of ["cat", "catalog", "dog", "doggerel"]) await insert(text);
    expect(found("cat dog")).toEqual(["dog", "cat", "doggerel"]);
    expect(found("ca")).toEqual(["catalog", "cat"]);
  });

  test("a term given twice counts once", async () => {
    for (const text of ["plum", "plum quince"]) await insert(text);
    const [once, twice] = ["plum plum", "plum"].map((text) => read(engine, (at) => search(at, text)));
    expect(once).toEqual(twice);
  });

  test("values other than strings are not searched", async () => {
    await mutate(engine, (transaction) => {
      transaction.insert("notes", { text: 42 });
      transaction.insert("notes", { text: ["42"] });
      transaction.insert("notes", {});
      transaction.insert("notes", { text: "42" });
    });
    expect(found("42")).toEqual(["42"]);
  });

  test("a search without terms finds nothing", async () => {
    await insert("word");
    expect(found("")).toEqual([]);
  });

  test("a count above 254 is kept", async () => {
    const often = "word ".repeat(300).trim();
    await insert(`${often} other`);
    await insert("word ".repeat(254).trim() + " other".repeat(47));
    expect(found("word")[0]).toBe(`${often} other`);
  });

  test("the best 1,024 documents are found", async () => {
    await mutate(engine, (transaction) => {
      for (let n = 0; n < mostTextMatches; n++) transaction.insert("notes", { text: "many words here" });
      transaction.insert("notes", { text: "many" });
      transaction.insert("notes", { text: "many words here and here" });
    });
    const all = found("many");
    expect(all).toHaveLength(mostTextMatches);
    expect(all[0]).toBe("many");
    expect(all).not.toContain("many words here and here");
  });

  test("a prefix means the first 64 terms that begin with it", async () => {
    await mutate(engine, (transaction) => {
      for (let n = 10; n < 80; n++) transaction.insert("notes", { text: `word${n}` });
    });
    expect(found("word")).toHaveLength(64);
    expect(found("word")).not.toContain("word79");
    expect(found("word79")).toEqual(["word79"]);
  });
});

describe("filters", () => {
  test("all filters must hold, and undefined means an absent field", async () => {
    await insert("tea a", { lane: "x" });
    await insert("tea b", { lane: "x", place: { city: "Rome" } });
    await insert("tea c", { lane: "y", place: { city: "Rome" } });
    await insert("tea d");
    expect(found("tea", [{ at: 0, value: "x" }])).toEqual(["tea b", "tea a"]);
    expect(found("tea", [{ at: 1, value: "Rome" }])).toEqual(["tea c", "tea b"]);
    const both = [
      { at: 0, value: "x" },
      { at: 1, value: "Rome" },
    ];
    expect(found("tea", both)).toEqual(["tea b"]);
    expect(found("tea", [{ at: 0, value: undefined }])).toEqual(["tea d"]);
    expect(found("tea", [{ at: 0, value: "z" }])).toEqual([]);
  });
});

describe("transactions", () => {
  test("a mutation finds what it has written", async () => {
    const id = await insert("old text");
    await mutate(engine, (transaction) => {
      transaction.insert("notes", { text: "new text" });
      transaction.replace(id, { text: "changed" });
      expect(texts(transaction, "text")).toEqual(["new text"]);
      expect(texts(transaction, "changed")).toEqual(["changed"]);
      const savepoint = transaction.savepoint();
      transaction.remove(id);
      expect(texts(transaction, "changed")).toEqual([]);
      transaction.rollbackTo(savepoint);
      expect(texts(transaction, "changed")).toEqual(["changed"]);
    });
    expect(found("text")).toEqual(["new text"]);
  });

  test("a snapshot finds what later commits have changed or removed, with the scores of then", async () => {
    const [kept, gone] = [await insert("alpha beta"), await insert("alpha gamma")];
    const early = engine.begin();
    const before = search(early, "alpha");
    await mutate(engine, (transaction) => transaction.remove(gone));
    await mutate(engine, (transaction) => transaction.replace(kept, { text: "delta" }));
    await insert("alpha alpha");
    const same = engine.begin({ snapshot: early.snapshot });
    expect(search(early, "alpha")).toEqual(before);
    expect(search(same, "alpha")).toEqual(before);
    expect(found("alpha")).toEqual(["alpha alpha"]);
    for (const each of [early, same]) engine.discard(each);
  });

  test.each<[string, (id: string) => Promise<unknown>, boolean]>([
    ["a new document with the term", () => insert("wanted too"), true],
    ["a new document with a longer term", () => insert("wantedness"), true],
    ["a new document without the term", () => insert("other"), false],
    ["a change of a matching document's text", (id) => replaced(id, { text: "other" }), true],
    [
      "a change of a matching document's filter field",
      (id) => replaced(id, { text: "wanted", lane: "b" }),
      true,
    ],
    ["a change of another field of a match", (id) => replaced(id, { text: "wanted", lane: "a", n: 1 }), true],
    ["the removal of a match", (id) => mutate(engine, (transaction) => transaction.remove(id)), true],
  ])("%s conflicts with a search, or does not", async (_, write, isConflict) => {
    const id = await insert("wanted", { lane: "a" });
    const transaction = engine.begin();
    expect(texts(transaction, "wanted")).toEqual(["wanted"]);
    let calls = 0;
    const reads = engine.begin();
    texts(reads, "wanted", [{ at: 0, value: "a" }]);
    engine.subscribe(reads.readSet, reads.snapshot, () => (calls += 1));
    engine.discard(reads);
    transaction.insert("notes", { text: "mine" });
    await write(id);
    const outcome = await engine.commit(transaction);
    expect(outcome.kind).toBe(isConflict ? "conflict" : "committed");
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls).toBe(isConflict ? 1 : 0);
  });

  const replaced = (id: string, value: Record<string, string | number>) =>
    mutate(engine, (transaction) => transaction.replace(id, value));
});
