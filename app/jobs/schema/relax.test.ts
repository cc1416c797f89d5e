import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSchema } from "./json-schema.ts";
import { anyObject, relaxed } from "./relax.ts";

const object = (a: unknown, more: object = {}) => ({ type: "object", properties: { a }, ...more });
const anything = expect.objectContaining({ anyOf: expect.any(Array) as unknown });

/** The schema of the property `a`, after it was relaxed and parsed. */
function relaxedProperty(schema: unknown): unknown {
  const parsed = parseSchema(relaxed(schema));
  if (parsed.kind === "refused") throw new Error(`${parsed.path}: ${parsed.reason}`);
  return (parsed.schema["properties"] as Record<string, unknown>)["a"];
}

describe("the schema of a tool that is not strict", () => {
  it.each([
    ["bounds", { type: "integer", minimum: 1, maximum: 900 }, "(minimum: 1; maximum: 900)"],
    [
      "open bounds",
      { type: "number", exclusiveMinimum: 0, multipleOf: 0.5 },
      "(exclusiveMinimum: 0; multipleOf: 0.5)",
    ],
    ["a pattern", { type: "string", pattern: "^a+$" }, "(pattern: ^a+$)"],
    ["a format", { type: "string", format: "email" }, "(format: email)"],
    ["a description", { type: "string", description: "A name.", format: "uuid" }, "A name. (format: uuid)"],
    ["a long length", { type: "string", maxLength: 10_000 }, "(maxLength: 10000)"],
  ])("tells the model of %s", (_, a, description) => {
    const { type } = a;
    expect(relaxedProperty(object(a))).toEqual({ type, description });
  });

  it("keeps what can be enforced", () => {
    const schema = object(
      { type: "array", items: { type: "string", maxLength: 5 }, minItems: 1 },
      { $defs: { N: { enum: ["x", 1] } }, required: ["a"] },
    );
    expect(parseSchema(relaxed(schema))).toEqual(parseSchema(schema));
  });

  it("lists the integers between near bounds", () => {
    expect(relaxedProperty(object({ type: "integer", minimum: 1, exclusiveMaximum: 4 }))).toEqual({
      enum: [1, 2, 3],
    });
  });

  it("says nothing of the bounds that zod writes for each integer", () => {
    const { MAX_SAFE_INTEGER: most } = Number;
    expect(relaxedProperty(object({ type: "integer", minimum: -most, maximum: most }))).toEqual({
      type: "integer",
    });
  });

  it.each([
    ["no type", {}],
    ["true", true],
    ["a negation", { not: { type: "string" } }],
    ["a reference to the whole", { $ref: "#" }],
    ["a reference elsewhere", { $ref: "https://example.com/schema.json" }],
  ])("allows anything for %s", (_, a) => {
    expect(relaxedProperty(object(a))).toEqual(
      expect.objectContaining({ oneOf: expect.any(Array) as unknown }),
    );
    expect((relaxed(object(a))["properties"] as Record<string, unknown>)["a"]).toEqual(anything);
  });

  it("reads a type from the keywords", () => {
    expect(relaxedProperty(object({ properties: { b: { type: "null" } } }))).toMatchObject({
      type: "object",
    });
    expect(relaxedProperty(object({ items: { type: "null" } }))).toMatchObject({ type: "array" });
    expect(relaxedProperty(object({ maxLength: 3 }))).toEqual({ type: "string", maxLength: 3 });
  });

  it("splits a list of types with a list or an object", () => {
    expect(relaxedProperty(object({ type: ["array", "null"], items: { type: "string" } }))).toEqual({
      oneOf: [{ type: "array", items: { type: "string" } }, { type: "null" }],
    });
  });

  it("joins allOf where it can, as Pydantic writes it", () => {
    const defs = { $defs: { Color: { enum: ["red", "blue"] } } };
    const one = object({ allOf: [{ $ref: "#/$defs/Color" }], default: "red", description: "A color." }, defs);
    expect(relaxedProperty(one)).toMatchObject({ $ref: "#/$defs/Color" });
    const two = {
      allOf: [object({ type: "string" }), { type: "object", properties: { b: { type: "null" } } }],
    };
    expect(relaxed(two)["properties"]).toEqual({ a: { type: "string" }, b: { type: "null" } });
  });

  it("makes alternatives that may match together anyOf, and drops names that no property has", () => {
    const same = { type: "string" };
    expect(relaxedProperty(object({ oneOf: [same, same] }))).toEqual({ oneOf: [same, same] });
    expect(parseSchema(relaxed(object(same, { required: ["a", "b"] })))).toMatchObject({
      schema: { required: ["a"] },
    });
  });

  it.each([
    ["a type beside alternatives", { type: "object", properties: { b: {} }, oneOf: [{ required: ["b"] }] }],
    ["alternatives that only require", { properties: { b: {} }, anyOf: [{ required: ["b"] }] }],
    ["a constructor", { constructor: "x", type: "object", properties: { b: {} } }],
    ["objects in allOf by reference", { allOf: [{ $ref: "#/$defs/b" }, { type: "object", properties: {} }] }],
  ])("keeps the properties beside %s", (_, a) => {
    const schema = object(a, { $defs: { b: { type: "object", properties: { b: {} } } } });
    expect(relaxedProperty(schema)).toMatchObject({
      type: "object",
      properties: { b: { oneOf: [{}, {}, {}] } },
    });
  });

  it.each([
    ["an unknown type", { type: "any" }],
    ["no type of a list", { type: [] }],
    ["an empty enum", { enum: [] }],
    ["an enum of objects", { enum: [{}] }],
    ["an enum of another type", { type: ["object"], enum: ["x"], description: 7 }],
    ["lengths that exclude each other", { type: "string", minLength: 3, maxLength: 1 }],
    ["a length below zero", { type: "string", minLength: -1 }],
    ["half a surrogate pair", { type: "string", pattern: "\ud800", description: "\ud800" }],
    ["a reference to nothing", { $ref: "#/$defs/nothing" }],
    ["a reference to the whole", { $ref: "#" }],
  ])("can be enforced in spite of %s", (_, a) => {
    expect(parseSchema(relaxed(object(a)))).toMatchObject({ kind: "ok", schema: { properties: { a: {} } } });
  });

  it("cuts a definition that leads back to itself", () => {
    const node = object({ $ref: "#/$defs/node" }, { description: "A node." });
    const parsed = parseSchema(relaxed({ $defs: { node }, ...object({ $ref: "#/$defs/node" }) }));
    expect(parsed).toMatchObject({
      schema: {
        properties: { a: { $ref: "#/$defs/node" } },
        $defs: { node: { type: "object", properties: { a: { oneOf: [{}, {}, {}] } } } },
      },
    });
  });

  it("keeps the lengths of a text that may be null, and the constants that fit", () => {
    const text = object({ type: ["string", "null"], maxLength: 5, pattern: "x" });
    expect(relaxedProperty(text)).toMatchObject({ oneOf: [{ maxLength: 5 }, { type: "null" }] });
    const values = object({ enum: ["ok", "too long"], maxLength: 5, not: {} });
    expect(relaxedProperty(values)).toMatchObject({ const: "ok" });
  });

  it("costs no more than its size, whatever its lists of types are", () => {
    const types = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? "object" : "array"));
    let schema: object = { type: "string" };
    for (let depth = 0; depth < 8; depth += 1) {
      schema = { type: types, properties: { a: schema, b: schema }, items: schema };
    }
    let reads = 0;
    const counted = (value: unknown): unknown =>
      typeof value === "object" && value !== null
        ? new Proxy(value, {
            ownKeys: (of) => {
              reads += 1;
              return Reflect.ownKeys(of);
            },
            get: (of, key) => counted(Reflect.get(of, key)),
          })
        : value;
    relaxed(counted(schema));
    expect(reads).toBeLessThan(100_000);
  });

  it("joins no more fields than a bound, however often a reference repeats them", () => {
    const properties = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`p${at}`, true]));
    let reads = 0;
    const counted = new Proxy(properties, {
      get: (of, name) => {
        reads += 1;
        return Reflect.get(of, name) as unknown;
      },
    });
    const part = { $ref: "#/$defs/wide" };
    const wide = { type: "object", properties: counted };
    const joining = (times: number) =>
      relaxed({ type: "object", allOf: Array(times).fill(part), $defs: { wide } });
    expect(Object.keys(joining(3)["properties"] as object)).toHaveLength(1_000);
    reads = 0;
    expect(joining(1_000)).toMatchObject({ type: "object" });
    expect(reads).toBeLessThan(50_000);
  });

  it("is an object whatever it says", () => {
    for (const schema of [{}, true, null, 7, [], { type: "string" }])
      expect(relaxed(schema)).toEqual(anyObject);
  });

  it("can be read at any depth", () => {
    let schema: object = { type: "string", minimum: 3 };
    for (let depth = 0; depth < 500; depth += 1) schema = object(schema);
    expect(parseSchema(relaxed(schema)).kind).toBe("ok");
  });

  it("never fails to be relaxed, and most can be enforced then", () => {
    const keyword = fc.constantFrom(
      ...[
        "type",
        "minimum",
        "pattern",
        "items",
        "properties",
        "required",
        "allOf",
        "anyOf",
        "enum",
        "$ref",
        "format",
      ],
    );
    const value = fc.oneof(
      fc.constantFrom("string", "object", "array", "null", "#/$defs/a", 3, true, null),
      fc.array(fc.constantFrom("string", "object", "a"), { maxLength: 3 }),
    );
    const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
      schema: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.dictionary(keyword, value, { maxKeys: 4 }),
        fc.dictionary(keyword, fc.oneof(tie("schema"), fc.array(tie("schema"), { maxLength: 2 })), {
          maxKeys: 3,
        }),
        fc.record({ properties: fc.dictionary(fc.string({ maxLength: 3 }), tie("schema"), { maxKeys: 3 }) }),
      ),
    }));
    let enforced = 0;
    const runs = 500;
    fc.assert(
      fc.property(schema, (each) => {
        if (parseSchema(relaxed(each)).kind === "ok") enforced += 1;
      }),
      { numRuns: runs, seed: 20_261_127 },
    );
    expect(enforced / runs).toBeGreaterThan(0.8);
  });
});
