import { expect, it } from "vitest";
import { indexKeys, keysOf } from "./index-keys.ts";

const table = {
  indexes: [["status", "_id"], ["at", "_id"], ["who.name", "_id"], ["who.name", "status", "_id"], []].map(
    (keyFields, id) => ({
      id,
      name: String(id),
      fields: keyFields,
      keyFields,
      search: null,
      qualified: `jobs.${String(id)}`,
    }),
  ),
};
const document = { _id: "a", status: "ready", at: { $integer: "AQAAAAAAAAA=" }, who: { name: "ada" } };

it("keys of a changed document are those that a new document would have", () => {
  const before = { document, keys: keysOf(table, document) };
  for (const change of [
    { status: "running" },
    { at: { $integer: "AgAAAAAAAAA=" } },
    { at: 3 },
    { who: { name: "bob" } },
    { who: {} },
    { status: null },
    { other: 1 },
  ]) {
    const changed = { ...document, ...change };
    expect(keysOf(table, changed, before)).toEqual(table.indexes.map((index) => indexKeys(index, changed)));
  }
});

it("keys that a change leaves equal are not encoded again", () => {
  const before = { document, keys: keysOf(table, document) };
  const after = keysOf(table, { ...document, status: "running" }, before);
  expect(after.map((key, at) => key === before.keys[at])).toEqual([false, true, true, false, true]);
});

it("negative zero and zero have keys of their own", () => {
  const numbers = { indexes: table.indexes.slice(0, 1) };
  const zero = { _id: "a", status: 0 };
  const before = { document: zero, keys: keysOf(numbers, zero) };
  expect(keysOf(numbers, { _id: "a", status: -0 }, before)).not.toEqual(before.keys);
});
