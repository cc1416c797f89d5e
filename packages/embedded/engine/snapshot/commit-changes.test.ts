import { expect, test } from "vitest";
import type { Key } from "../../values/keys/key.ts";
import { type ChangedDocument, CommitChanges } from "./commit-changes.ts";

const table = {
  indexes: [{ qualified: "t.by_id" }, { qualified: "t.by_name" }],
};
const old = { _id: "d", name: "old" };

function seen(changes: CommitChanges, index: string): readonly (readonly [Key, string, object | null])[] {
  const found: (readonly [Key, string, object | null])[] = [];
  changes.visit(index, (key, id, before) => void found.push([key, id, before]));
  return found;
}

test("a changed document is told under its old keys with its old fields, and under its new keys as missing before", () => {
  const changes = new CommitChanges([
    { id: "d", table, before: old, old: [["id"], ["old"]], added: [[], ["new"]] },
  ]);
  expect(seen(changes, "t.by_id")).toEqual([["id", "d", old]]);
  expect(seen(changes, "t.by_name")).toEqual([
    ["old", "d", old],
    ["new", "d", null],
  ]);
  expect(seen(changes, "u.by_id")).toEqual([]);
  expect(changes.size).toBe(3);
});

test("a new document was missing, and a deleted one is told under its old keys", () => {
  const inserted: ChangedDocument = { id: "d", table, before: null, old: [], added: [["id"], ["new"]] };
  const deleted: ChangedDocument = { id: "e", table, before: old, old: [["e"], ["old"]], added: [] };
  const changes = new CommitChanges([inserted, deleted]);
  expect(seen(changes, "t.by_name")).toEqual([
    ["new", "d", null],
    ["old", "e", old],
  ]);
  expect(changes.size).toBe(4);
});

test("only the indexes that somebody reads are visited", () => {
  const changes = new CommitChanges([{ id: "d", table, before: null, old: [], added: [["id"], ["new"]] }]);
  const found: unknown[] = [];
  changes.visitAll(
    (index) => (index === "t.by_name" ? "a reader" : undefined),
    (reader, key) => found.push([reader, key]),
  );
  expect(found).toEqual([["a reader", "new"]]);
});

test("a visit ends when its callback returns true", () => {
  const inserted = (id: string): ChangedDocument => ({
    id,
    table,
    before: null,
    old: [],
    added: [[id], [id]],
  });
  const changes = new CommitChanges([inserted("a"), inserted("b"), inserted("c")]);
  const found: string[] = [];
  changes.visit("t.by_name", (_, id) => {
    found.push(id);
    return id === "b";
  });
  expect(found).toEqual(["a", "b"]);
});
