import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { Key } from "../../values/keys/key.ts";
import { searchIndexFields } from "../../values/keys/search-definition.ts";
import { indexEntry } from "../model/catalog.ts";
import type { CommitChanges } from "../snapshot/commit-changes.ts";
import { prepareCommit } from "./prepare-commit.ts";

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as () => void;

const fields = searchIndexFields({ kind: "text", searchField: "text", filterFields: [] });
const table = {
  number: 10_001,
  name: "t",
  indexes: [
    indexEntry(1, "t", { name: "by_name", fields: ["name"] }),
    indexEntry(2, "t", { name: "by_text", fields }),
  ],
};
const old = { _id: "d", name: "old" };
const next = { _id: "d", name: "new" };

/** A patch that changes the name, and the keys of the search index as given. */
function patched(before: readonly Key[], now: readonly Key[]): CommitChanges {
  const base = { document: old, keys: [["old"], before] };
  const current = { document: next, keys: [["new"], now] };
  return prepareCommit(new Map([["d", { table, base, current }]]), 1n).changes;
}

function seen(changes: CommitChanges, index: string): readonly (readonly [Key, object | null])[] {
  const found: (readonly [Key, object | null])[] = [];
  changes.visit(index, (key, _, before) => void found.push([key, before]));
  return found;
}

test("a search index with equal keys has not changed", () => {
  const same = ["a", "b"];
  for (const now of [same, [...same]]) {
    const changes = patched(same, now);
    expect(seen(changes, "t.by_text")).toEqual([]);
    expect(seen(changes, "t.by_name")).toEqual([
      ["old", old],
      ["new", null],
    ]);
    expect(changes.size).toBe(2);
  }
});

test("all old keys of a search index count if one of them differs", () => {
  const changes = patched(["a", "b"], ["a", "c"]);
  expect(seen(changes, "t.by_text")).toEqual([
    ["a", old],
    ["b", old],
    ["c", null],
  ]);
  expect(changes.size).toBe(5);
});

test("a search index that loses a key has changed", () => {
  expect(seen(patched(["a", "b"], ["a"]), "t.by_text")).toHaveLength(2);
});

test("a commit does not keep the keys of a search index that it leaves as it was", async () => {
  let kept: WeakRef<readonly Key[]> | undefined;
  const patchOnce = (): CommitChanges => {
    const keys = ["a", "b"];
    kept = new WeakRef(keys);
    return patched(keys, keys);
  };
  const changes = patchOnce();
  // Until the next turn, a new weak reference holds its target.
  await turn();
  gc();
  expect(kept?.deref()).toBeUndefined();
  expect(changes.size).toBe(2);
});
