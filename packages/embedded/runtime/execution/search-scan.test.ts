import { afterEach, beforeEach, expect, test } from "vitest";
import { openEngine } from "../../engine/engine.ts";
import type { Engine } from "../../engine/model/types.ts";
import type { SearchSteps } from "../../engine/search/search-source.ts";
import { searchIndexFields } from "../../values/keys/search-definition.ts";
import { inSlices, SearchScan } from "./search-scan.ts";

let engine: Engine;

beforeEach(() => {
  engine = openEngine({ path: ":memory:" });
  const fields = searchIndexFields({ kind: "text", searchField: "text", filterFields: [] });
  engine.applySchema([{ name: "notes", indexes: [{ name: "search_text", fields }] }]);
});
afterEach(() => engine.close());

test("other work goes on during a long search", async () => {
  function* longSearch(): SearchSteps<string> {
    for (let step = 0; step < 12; step++) {
      const until = performance.now() + 30;
      while (performance.now() < until);
      yield;
    }
    return "found";
  }
  let turns = 0;
  const others = setInterval(() => (turns += 1), 1);
  expect(await inSlices(longSearch())).toBe("found");
  clearInterval(others);
  expect(turns).toBeGreaterThan(1);
});

test("a document that a mutation has removed since its search is passed over", async () => {
  const transaction = engine.begin();
  const [, second] = ["one", "two", "six"].map((word) =>
    transaction.insert("notes", { text: `word ${word}` }),
  );
  const query = { terms: ["word"], filters: [] };
  const search = { table: "notes", index: "search_text", query };
  const scan = new SearchScan(transaction, search, { after: null, upTo: null });
  await scan.prepare();
  expect(scan.next()?.document["text"]).toBe("word six");
  transaction.remove(second as string);
  expect(scan.next()?.document["text"]).toBe("word one");
  expect(scan.next()).toBeNull();
  engine.discard(transaction);
});
