import { describe, expect, it } from "vitest";
import { parseSchema } from "../schema/json-schema.ts";
import { endlessDefinition } from "./finite-schema.ts";

const a = { $ref: "#/$defs/a" };
const b = { $ref: "#/$defs/b" };
const object = (properties: object) => ({ type: "object", properties });

describe("a schema whose values would have no end", () => {
  it.each<[string, string, object]>([
    ["an object in itself", "a", { ...a, $defs: { a: { ...object({ a }), required: ["a"] } } }],
    ["an object in itself that is not required, since all are", "a", { ...a, $defs: { a: object({ a }) } }],
    ["a list with an item of itself", "a", { ...a, $defs: { a: { type: "array", items: a, minItems: 1 } } }],
    ["a list that begins with itself", "a", { ...a, $defs: { a: { type: "array", prefixItems: [a] } } }],
    [
      "an object with one name of itself",
      "a",
      { ...a, $defs: { a: { type: "object", additionalProperties: a, minProperties: 1 } } },
    ],
    [
      "alternatives that all contain it",
      "a",
      { ...a, $defs: { a: { anyOf: [object({ a }), object({ x: a })] } } },
    ],
    ["a circle of two", "a", { ...b, $defs: { a: object({ b }), b: object({ n: { type: "null" }, a }) } }],
    ["a definition that a circle hides", "b", { ...a, $defs: { a: object({ b }), b: object({ b }) } }],
    ["a definition that nothing uses", "a", { type: "null", $defs: { a: object({ a }) } }],
    ["itself", "a", { ...a, $defs: { a } }],
    ["one alternative", "a", { anyOf: [{ type: "null" }, a], $defs: { a: object({ a }) } }],
    ["optional items", "a", { type: "array", items: a, $defs: { a: object({ a }) } }],
  ])("is refused with the definition's name: %s", (_, name, schema) => {
    expect(parseSchema(schema)).toMatchObject({
      kind: "refused",
      path: `$defs.${name}`,
      reason: expect.stringMatching(/^has no finite value/) as string,
    });
  });

  it.each([
    { ...a, $defs: { a: object({ next: { anyOf: [a, { type: "null" }] } }) } },
    { ...a, $defs: { a: object({ children: { type: "array", items: a } }) } },
    { ...a, $defs: { a: { type: "object", additionalProperties: a } } },
    { ...a, $defs: { a: { type: "array", prefixItems: [{ const: 1 }], items: a, minItems: 1 } } },
    { ...a, $defs: { a: { anyOf: [object({ b }), { const: 1 }] }, b: object({ a }) } },
  ])("is told apart from a recursive one with an end: %j", (schema) => {
    expect(parseSchema(schema)).toMatchObject({ kind: "ok" });
  });
});

it("is found in linear time", () => {
  // A quadratic search would need minutes.
  const names = Array.from({ length: 100_000 }, (_, index) => `d${String(index)}`);
  // Each definition needs the one after it, and only the last one has an end.
  const next = (index: number) => object({ x: { $ref: `#/$defs/${names[index + 1] ?? ""}` } });
  const $defs = Object.fromEntries(
    names.map((name, index) => [name, index + 1 < names.length ? next(index) : { type: "null" }]),
  );
  expect(endlessDefinition({ ...a, $defs })).toBeNull();
});
