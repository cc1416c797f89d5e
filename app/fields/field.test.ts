import { describe, expect, it } from "vitest";
import { inert, names, nearest, supported, unknownField } from "./field.ts";

const fields = {
  max_tokens: supported("a bound", 1),
  user: inert("no effect"),
  free: supported("any names", {}),
  list: supported("objects", [], { fields: names("a", "b") }),
};

describe("unknownField", () => {
  it("knows the fields of the table, and any names in an object without one", () => {
    expect(unknownField({ max_tokens: 1, user: {}, free: { x: { y: 1 } } }, fields)).toBeNull();
    expect(unknownField({ list: [{ a: 1 }, "text", { b: { c: 1 } }] }, fields)).toBeNull();
  });

  it("names the first unknown field with its place", () => {
    expect(unknownField({ list: [{ a: 1 }, { d: 1 }] }, fields)).toEqual({
      path: ["list", 1, "d"],
      meant: null,
    });
  });

  it("looks only so deep as it is told", () => {
    expect(unknownField({ list: [{ d: 1 }] }, fields, 1)).toBeNull();
    expect(unknownField({ something: 1 }, fields, 1)).toEqual({ path: ["something"], meant: null });
  });

  it("knows no name that every object has", () => {
    for (const name of ["__proto__", "constructor", "toString"]) {
      const value: unknown = JSON.parse(`{"${name}": 1}`);
      expect(unknownField(value, fields)?.path).toEqual([name]);
    }
  });
});

it.each([
  ["max_token", "max_tokens"],
  ["maxTokens", "max_tokens"],
  ["max-tokens", "max_tokens"],
  ["usr", "user"],
  ["ser", "user"],
  ["us", null],
  ["repetition", null],
  ["x".repeat(100_000), null],
])("the known name nearest to %s is %s", (name, meant) => {
  expect(nearest(name, Object.keys(fields))).toBe(meant);
});
