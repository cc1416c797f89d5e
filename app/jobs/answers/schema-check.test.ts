import fc from "fast-check";
import { expect, it } from "vitest";
import { parseSchema } from "../schema/json-schema.ts";
import { holdsSchema, mayHoldSchema } from "./schema-check.ts";

/** A schema, and a value that holds it. */
type Pair = { readonly schema: object; readonly value: unknown };

const leaf: fc.Arbitrary<Pair> = fc.oneof(
  fc.string({ maxLength: 8 }).map((value) => ({ schema: { type: "string" }, value })),
  fc.string({ unit: "grapheme", maxLength: 8 }).map((value) => ({
    schema: { type: "string", minLength: 0, maxLength: Array.from(value).length },
    value,
  })),
  fc.integer().map((value) => ({ schema: { type: "integer" }, value })),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({ schema: { type: "number" }, value })),
  fc.boolean().map((value) => ({ schema: { type: "boolean" }, value })),
  fc.constant({ schema: { type: "null" }, value: null }),
  fc.integer().map((value) => ({ schema: { const: value }, value })),
  fc.integer().map((value) => ({ schema: { enum: ["a", value] }, value })),
  fc.integer().map((value) => ({ schema: { type: ["string", "number"] }, value })),
  fc.constant({ schema: { type: "string", format: "date" }, value: "2026-11-22" }),
  fc.constant({ schema: { type: "string", format: "date-time" }, value: "2026-11-22T21:30:00.000+01:00" }),
);

const names = fc.uniqueArray(fc.constantFrom("a", "b", "c", "constructor", "toString"), { maxLength: 3 });

const { pair } = fc.letrec<{ pair: Pair }>((tie) => ({
  pair: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.tuple(names, fc.array(tie("pair"), { minLength: 3, maxLength: 3 })).map(([keys, pairs]): Pair => ({
      schema: {
        type: "object",
        properties: Object.fromEntries(keys.map((name, index) => [name, pairs[index]?.schema ?? {}])),
        additionalProperties: false,
      },
      value: Object.fromEntries(keys.map((name, index) => [name, pairs[index]?.value])),
    })),
    fc.tuple(tie("pair"), fc.nat(3)).map(([one, length]): Pair => ({
      schema: { type: "array", items: one.schema, minItems: length, maxItems: length },
      value: Array<unknown>(length).fill(one.value),
    })),
    fc.tuple(tie("pair"), tie("pair")).map(([one, other]): Pair => ({
      schema: { anyOf: [one.schema, other.schema] },
      value: other.value,
    })),
    fc.array(tie("pair"), { minLength: 1, maxLength: 3 }).map((pairs): Pair => ({
      schema: { type: "array", prefixItems: pairs.map(({ schema }) => schema), maxItems: 3 },
      value: pairs.map(({ value }) => value),
    })),
  ),
}));

function parsed(schema: object) {
  const found = parseSchema(schema);
  if (found.kind === "refused") throw new Error(`${found.path} ${found.reason}`);
  return found.schema;
}

it("accepts each value that was made for a schema", () => {
  fc.assert(
    fc.property(pair, ({ schema, value }) => {
      expect(holdsSchema(parsed(schema), value)).toBe(true);
    }),
  );
});

/** JSON with blanks, and with some characters by their numbers. */
const written = fc
  .tuple(pair, fc.constantFrom(undefined, 1, 4, "\t"), fc.boolean())
  .map(([{ schema, value }, blanks, byNumber]) => {
    const json = JSON.stringify(value, null, blanks);
    const escaped = json.replace(
      /[^\0-\x7f]/g,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    return { schema, json: byNumber ? escaped : json };
  });

it("accepts each beginning of the JSON of each value that was made for a schema", () => {
  fc.assert(
    fc.property(written, ({ schema, json }) => {
      const kept = parsed(schema);
      for (let length = 0; length <= json.length; length += 1)
        if (!mayHoldSchema(kept, json.slice(0, length))) throw new Error(`refused ${json.slice(0, length)}`);
    }),
  );
});

it("refuses a beginning that goes on with another type", () => {
  fc.assert(
    fc.property(written, fc.nat(), ({ schema, json }, at) => {
      const around = parsed({ type: "array", items: schema });
      expect(mayHoldSchema(around, `[${json},`)).toBe(true);
      expect(mayHoldSchema(around, `[${json}}`)).toBe(false);
      expect(mayHoldSchema(around, `[${json}] and more`)).toBe(false);
      expect(mayHoldSchema(around, `${json.slice(0, at % json.length)}\u0001`)).toBe(false);
    }),
  );
});

it("refuses a value of another type, wherever it is", () => {
  const strange = Symbol.for("strange") as unknown;
  fc.assert(
    fc.property(pair, ({ schema }) => {
      const around = { type: "object", properties: { it: schema }, additionalProperties: false };
      expect(holdsSchema(parsed(around), { it: strange })).toBe(false);
      expect(holdsSchema(parsed(around), {})).toBe(false);
    }),
  );
});

const text = { type: "string", minLength: 2, maxLength: 2 };
const person = { type: "object", properties: { name: { type: "string" } } };
const tree = {
  type: "object",
  properties: { left: { anyOf: [{ type: "null" }, { $ref: "#/$defs/tree" }] } },
};

it.each<[object, unknown, boolean]>([
  [text, "ab", true],
  [text, "a", false],
  [text, "abc", false],
  // One character, although JSON may escape it as two.
  [{ type: "string", minLength: 2 }, "🐦", false],
  [{ type: "string", maxLength: 1 }, "🐦", true],
  [{ type: "string", maxLength: 1 }, "a\uFFFD\uFFFD", true],
  [person, { name: "Ada" }, true],
  [person, { name: "Ada", age: 3 }, false],
  [person, {}, false],
  [person, [], false],
  [person, JSON.parse('{"name":"Ada","__proto__":1}'), false],
  [{ ...person, additionalProperties: { type: "integer" } }, { name: "Ada", age: 3 }, false],
  [{ type: "object", additionalProperties: { type: "integer" } }, { age: 3 }, true],
  [{ type: "object", additionalProperties: { type: "integer" } }, { age: "3" }, false],
  [{ type: "object", additionalProperties: true, minProperties: 1 }, {}, false],
  [{ type: "object" }, { any: [1] }, true],
  [{ type: "array" }, [1, "a"], true],
  [{ type: "integer" }, 1.5, false],
  [{ type: "string", format: "date" }, "22 November", false],
  [{ $defs: { tree }, $ref: "#/$defs/tree" }, { left: { left: null } }, true],
  [{ $defs: { tree }, $ref: "#/$defs/tree" }, { left: { left: 1 } }, false],
])("judges %j with %j as %s", (schema, value, holds) => {
  expect(holdsSchema(parsed(schema), value)).toBe(holds);
});

const two = { type: "object", properties: { to: { enum: ["bob", "bea"] }, n: { type: "integer" } } };
const twelve = { type: "array", prefixItems: [{ const: 12 }, { type: "boolean" }], maxItems: 2 };

it.each<[object, string, boolean]>([
  [two, "", true],
  [two, '{"to', true],
  [two, '{"n"', false],
  [two, '{"to":"b', true],
  [two, '{"to":"e', false],
  [two, '{"to":"bea","n":-', true],
  [two, '{"to":"bea","n":1.', false],
  [two, '{"to":"bea","n":1,', false],
  [two, '{"to":"bea"}', false],
  [two, '{"to":"bea","n":1}\n', true],
  [two, '["', false],
  [{ type: "object", additionalProperties: { type: "null" } }, '{"a":null', true],
  [{ type: "object", additionalProperties: { type: "null" } }, '{"a":nuts', false],
  [{ type: "object", maxProperties: 0 }, '{"', false],
  [twelve, "[1", true],
  [twelve, "[2", false],
  [twelve, "[12,tr", true],
  [twelve, "[12,true,", false],
  [{ type: "string", maxLength: 2 }, '"🐦🐦', true],
  [{ type: "string", maxLength: 2 }, '"abc', false],
  [{ type: "string", format: "date-time" }, '"2026-11-22T21:30:00.000+0', true],
  [{ type: "string", format: "date-time" }, '"2026-11-22 ', false],
  [{ type: "string", format: "time" }, '"21:30:00Z', true],
  [{ type: ["string", "null"] }, "t", false],
  [{ anyOf: [{ const: true }, { type: "integer" }] }, "tr", true],
  [{ $defs: { tree }, $ref: "#/$defs/tree" }, '{"left":{"left":nu', true],
  [{ $defs: { tree }, $ref: "#/$defs/tree" }, '{"left":{"right', false],
])("judges for %j the beginning %j as %s", (schema, text, mayHold) => {
  expect(mayHoldSchema(parsed(schema), text)).toBe(mayHold);
});

it("compares the items of lists that contain each other in the time of a test", () => {
  const node = { type: "array", uniqueItems: true, items: { $ref: "#/$defs/node" } };
  const schema = { $defs: { node }, $ref: "#/$defs/node" };
  let deep: unknown = [];
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
  expect(holdsSchema(schema, deep)).toBe(true);
  const text = "x".repeat(400_000);
  let long: unknown = [text];
  for (let depth = 0; depth < 400; depth += 1) long = [long];
  const any = {
    type: "array",
    uniqueItems: true,
    items: { oneOf: [{ $ref: "#/$defs/any" }, { type: "string" }] },
  };
  expect(holdsSchema({ $defs: { any }, $ref: "#/$defs/any" }, long)).toBe(true);
  expect(holdsSchema(schema, [[], [[]], [[], [[]]]])).toBe(true);
  expect(holdsSchema(schema, [[[]], [[]]])).toBe(false);
});

it("takes a text for no match if the comparison needs more memory than there is", () => {
  const pattern = `^(?:${"(x?)".repeat(240)}a)*$`;
  const schema = { type: "string", pattern };
  expect(() => new RegExp(pattern, "u").test("a".repeat(400_000))).toThrow();
  expect(holdsSchema(schema, "a".repeat(400_000), { patterns: true })).toBe(false);
});

it("judges nested choices and a deep value in the time of a test", () => {
  // Tried one by one, the choices would need years.
  const choice = { oneOf: Array.from({ length: 6 }, () => ({ $ref: "#/$defs/node" })) };
  const node = { oneOf: [{ type: "array", items: choice }, { type: "null" }] };
  let value: unknown = "wrong";
  for (let depth = 0; depth < 100_000; depth += 1) value = [value];
  expect(holdsSchema({ $defs: { node }, ...choice }, value)).toBe(true);
  let shallow: unknown = "wrong";
  for (let depth = 0; depth < 40; depth += 1) shallow = [shallow, shallow];
  expect(holdsSchema({ $defs: { node }, ...choice }, shallow)).toBe(false);
});

it("counts the characters of a cut text only where each grammar does", () => {
  const cut = '"abcdef';
  expect(mayHoldSchema({ type: "string", maxLength: 5 }, cut)).toBe(false);
  expect(mayHoldSchema({ type: "string", maxLength: 5, pattern: "a" }, cut)).toBe(true);
  expect(mayHoldSchema({ type: "string", maxLength: 5, format: "email" }, cut)).toBe(true);
  expect(mayHoldSchema({ type: "string", maxLength: 5, format: "uncommon" }, cut)).toBe(false);
});
