import { expect, test } from "vitest";
import { fieldAt, valueAt } from "./field-path.ts";

const document = { a: { b: { c: 1 } }, list: [1], n: { $integer: "AQAAAAAAAAA=" }, none: null };

test("a field is found by the steps of its path", () => {
  expect(fieldAt(document, "a.b.c")).toBe(1);
  expect(fieldAt(document, "a.b")).toEqual({ c: 1 });
  expect(fieldAt(document, "none")).toBeNull();
});

test.each(["x", "a.x", "a.b.c.d", "list.0", "list.length", "none.x", "toString", "a.__proto__"])(
  "no field is found at %s",
  (path) => expect(fieldAt(document, path)).toBeUndefined(),
);

test("the found value is decoded", () => {
  expect(valueAt(document, "n")).toBe(1n);
  expect(valueAt(document, "missing")).toBeUndefined();
});
