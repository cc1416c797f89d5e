import { describe, expect, it } from "vitest";
import { holdsSchema } from "../answers/schema-check.ts";
import { grammarSchema, needsCheck } from "./checks.ts";
import { parseKeptSchema, parseSchema } from "./json-schema.ts";
import { schemaLimits } from "./keywords.ts";
import { stepBudget } from "./overlap.ts";

const string = { type: "string" };

/** A strict schema as it is kept. Keeping it again changes nothing, since devices parse it once more. */
function kept(given: unknown): Readonly<Record<string, unknown>> {
  const parsed = parseSchema(given, { checked: true });
  if (parsed.kind === "refused") throw new Error(`${parsed.path}: ${parsed.reason}`);
  expect(parseKeptSchema(JSON.parse(JSON.stringify(parsed.schema)))).toEqual(parsed);
  return parsed.schema;
}

const isHeld = (schema: unknown, value: unknown): boolean =>
  holdsSchema(kept(schema), value, { patterns: true });

describe("a keyword that no grammar enforces", () => {
  it.each<[object, unknown[], unknown[]]>([
    [{ type: "integer", minimum: 3 }, [3, 4], [2, -9]],
    [{ type: "number", exclusiveMinimum: 0, maximum: 1 }, [0.1, 1], [0, 1.1]],
    [{ type: "number", exclusiveMaximum: 5 }, [4.9], [5]],
    [{ type: "number", multipleOf: 0.01 }, [19.99, 0, -3, 1e99], [0.001, 1e12 + 0.005]],
    [{ type: "string", pattern: "^a+$" }, ["aa"], ["b", ""]],
    [{ type: "string", pattern: "\\p{L}" }, ["1é"], ["1"]],
    [{ type: "string", maxLength: 600 }, ["", "a".repeat(600)], ["a".repeat(601)]],
    [{ type: "string", format: "date", minLength: 3 }, ["2026-01-31"], ["x"]],
    [{ type: "array", items: string, uniqueItems: true }, [[], ["a", "b"]], [["a", "a"]]],
    [
      { type: "array", uniqueItems: true },
      [[{ a: 1, b: 2 }]],
      [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      ],
    ],
    [{ type: "array", items: string, minItems: 501 }, [Array(501).fill("")], [["a"]]],
    [{ type: ["integer", "null"], minimum: 0 }, [null, 0], [-1]],
  ])("of %j is checked", (schema, right, wrong) => {
    expect(needsCheck(JSON.stringify(kept(schema)))).toBe(true);
    for (const value of right) expect(isHeld(schema, value)).toBe(true);
    for (const value of wrong) expect(isHeld(schema, value)).toBe(false);
  });

  it.each([
    ["email", ["a.b+c@example.org"], ["a@", "a b@example.org", "@example.org"]],
    ["hostname", ["example.org", "a"], ["-a", "a..b", `${"a".repeat(64)}.org`]],
    ["ipv4", ["10.0.0.255"], ["10.0.0.256", "1.2.3"]],
    ["ipv6", ["::1", "2001:db8::8:800:200c:417a", "::ffff:1.2.3.4", "::"], ["1::2::3", "12345::", "1:2:3"]],
    ["uuid", ["123e4567-e89b-12d3-a456-426614174000"], ["123e4567e89b12d3a456426614174000"]],
    ["uri", ["https://example.org/a?b#c", "urn:x:y"], ["example.org", "https://a b"]],
    ["duration", ["P3D", "PT5M", "P1Y2M3DT4H", "P2W"], ["P", "PT", "3D"]],
  ])("of the format %s is checked", (format, right, wrong) => {
    const schema = { type: "string", format };
    for (const value of right) expect(isHeld(schema, value), value).toBe(true);
    for (const value of wrong) expect(isHeld(schema, value), value).toBe(false);
  });

  it.each<[object, object]>([
    [
      { type: "integer", minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      { type: "integer" },
    ],
    [{ type: "number", minimum: -Number.MAX_VALUE, maximum: Number.MAX_VALUE }, { type: "number" }],
    [{ type: "integer", minimum: 1, maximum: 3 }, { enum: [1, 2, 3] }],
    [{ type: "integer", exclusiveMinimum: -1, maximum: 9, multipleOf: 5 }, { enum: [0, 5] }],
    [{ enum: [1, 5, 9], maximum: 6 }, { enum: [1, 5] }],
    [{ type: "string", format: "binary" }, string],
    [
      { type: "array", items: string, uniqueItems: false },
      { type: "array", items: string },
    ],
    [
      { type: "object", additionalProperties: string, propertyNames: string },
      { type: "object", additionalProperties: string },
    ],
  ])("of %j is not needed", (schema, simple) => {
    expect(kept(schema)).toEqual(simple);
    expect(needsCheck(JSON.stringify(kept(schema)))).toBe(false);
    // So schemas that are not strict have it enforced, too.
    expect(parseSchema(schema)).toMatchObject({ kind: "ok" });
  });

  it("is left out of the grammar at every place", () => {
    const number = { type: "number", minimum: 1 };
    const schema = {
      type: "object",
      properties: { a: number, b: { type: "array", prefixItems: [number], items: number } },
      $defs: { c: { anyOf: [number, { type: "object", additionalProperties: number }] } },
    };
    expect(JSON.stringify(grammarSchema(kept(schema)))).not.toContain("minimum");
  });
});

describe("a strict schema", () => {
  it.each<[string, unknown, unknown]>([
    ["no type", { description: "d" }, { description: "d", oneOf: expect.any(Array) as unknown }],
    ["true", true, { oneOf: expect.any(Array) as unknown }],
    ["only properties", { properties: {} }, { type: "object", properties: {} }],
    ["only a bound", { minimum: 3 }, { type: "number", minimum: 3 }],
    [
      "a list of types with objects",
      { type: ["object", "array", "null"], properties: { b: string }, minItems: 1 },
      {
        oneOf: [
          { type: "object", properties: { b: string } },
          { type: "array", minItems: 1 },
          { type: "null" },
        ],
      },
    ],
    [
      "others of any kind",
      { type: "object", additionalProperties: {} },
      { type: "object", additionalProperties: true },
    ],
  ])("takes %s", (_, a, parsed) => {
    expect(kept({ type: "object", properties: { a } })["properties"]).toEqual({ a: parsed });
  });

  it("allows any object if it says nothing", () => {
    expect(kept({})).toEqual({ type: "object", additionalProperties: true });
  });

  it("joins the parts of allOf", () => {
    const base = { type: "object", properties: { a: { type: "number", minimum: 1 } }, required: ["a"] };
    const schema = {
      $defs: { base },
      description: "outer",
      allOf: [
        { $ref: "#/$defs/base" },
        { properties: { a: { type: "integer", minimum: 2, maximum: 3 }, b: string }, description: "inner" },
        true,
      ],
      required: ["b"],
    };
    const { $defs: _, ...joined } = kept(schema);
    expect(joined).toEqual({
      type: "object",
      description: "outer",
      properties: { a: { enum: [2, 3] }, b: string },
      required: ["b", "a"],
    });
  });

  it.each<[object, object]>([
    [{ allOf: [{ $ref: "#/$defs/s" }] }, { $ref: "#/$defs/s" }],
    [
      { $ref: "#/$defs/s", maxLength: 3 },
      { type: "string", maxLength: 3 },
    ],
    [{ allOf: [{ type: ["string", "null"] }, { type: "string" }] }, string],
    [{ allOf: [{ enum: ["a", "b"] }, { type: "string", enum: ["b", "c"] }] }, { enum: ["b"] }],
    [
      { type: "string", allOf: [{ minLength: 1 }, { minLength: 2, maxLength: 9 }] },
      { type: "string", minLength: 2, maxLength: 9 },
    ],
  ])("joins %j", (a, parsed) => {
    expect(kept({ type: "object", properties: { a }, $defs: { s: string } })["properties"]).toEqual({
      a: parsed,
    });
  });

  it.each<[string, object]>([
    ["allOf", { allOf: [] }],
    ["allOf.1", { allOf: [string, 7] }],
    ["allOf", { allOf: [string, { type: "null" }] }],
    ["allOf", { allOf: [{ enum: [1] }, { enum: [2] }] }],
    ["allOf", { allOf: [{ anyOf: [string] }, { anyOf: [{ type: "null" }] }] }],
    [
      "allOf",
      {
        allOf: [
          { type: "string", pattern: "a" },
          { type: "string", pattern: "(b)\\1" },
        ],
      },
    ],
    [
      "allOf",
      {
        allOf: [
          { type: "object", properties: { a: string }, additionalProperties: false },
          { type: "object", properties: { b: string } },
        ],
      },
    ],
    ["allOf.0.pattern", { allOf: [{ pattern: "a)(b" }, { pattern: "c" }] }],
    ["pattern", { pattern: "a)(b", allOf: [{ pattern: "c" }] }],
    ["", { $ref: "#/$defs/a", minLength: 1, $defs: { a: { $ref: "#/$defs/a", maxLength: 1 } } }],
  ])("is refused at %j if parts cannot be joined", (path, schema) => {
    expect(parseSchema(schema, { checked: true })).toMatchObject({ kind: "refused", path });
  });

  it("joins no more schemas than a bound, however they nest", () => {
    const chain = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `d${at}`,
        {
          allOf: [
            { $ref: `#/$defs/d${at + 1}`, minLength: 1 },
            { $ref: `#/$defs/d${at + 1}`, maxLength: 9 },
          ],
        },
      ]),
    );
    const parsed = parseSchema({ $ref: "#/$defs/d0", $defs: { ...chain, d40: string } }, { checked: true });
    expect(parsed).toMatchObject({ kind: "refused" });
    if (parsed.kind === "refused") expect(parsed.reason).toContain("too many or too large");
  });

  it("joins no more fields than a bound, however large the parts are", () => {
    const properties = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`p${at}`, string]));
    const part = { $ref: "#/$defs/wide", description: "d" };
    const wide = { type: "object", properties };
    const joining = (times: number) =>
      parseSchema({ allOf: Array(times).fill(part), $defs: { wide } }, { checked: true }).kind;
    expect(joining(1)).toBe("ok");
    expect(joining(300)).toBe("refused");
  });

  it("has one bound for the joins of all schemas of a request", () => {
    const properties = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`p${at}`, string]));
    const tool = {
      type: "object",
      allOf: Array(4).fill({ $ref: "#/$defs/d" }),
      $defs: { d: { type: "object", properties } },
    };
    const budget = stepBudget();
    const kinds = Array.from({ length: 128 }, () => parseSchema(tool, { budget, checked: true }).kind);
    expect(kinds.slice(0, 10)).not.toContain("refused");
    expect(kinds.slice(64)).not.toContain("ok");
  });

  it("reads the whole only once, however many references lead to it", () => {
    let reads = 0;
    const whole = new Proxy(
      { type: "object", properties: { a: { allOf: Array(300).fill({ $ref: "#" }) } } },
      {
        ownKeys: (of) => {
          reads += 1;
          return Reflect.ownKeys(of);
        },
      },
    );
    expect(parseSchema(whole, { checked: true }).kind).toBe("refused");
    expect(reads).toBeLessThan(20);
  });

  it.each<[string, object, unknown[]]>([
    [
      "the whole",
      { type: "object", properties: { next: { anyOf: [{ $ref: "#" }, { type: "null" }] } } },
      [{ next: { next: null } }],
    ],
    [
      "a part",
      { type: "object", properties: { a: string, b: { $ref: "#/properties/a" } } },
      [{ a: "x", b: "y" }],
    ],
    [
      "an escaped name",
      { type: "object", properties: { a: { $ref: "#/$defs/x~1y%20z" } }, $defs: { "x/y z": string } },
      [{ a: "x" }],
    ],
    ["itself", { type: "array", items: { $ref: "#" } }, [[], [[], [[]]]]],
  ])("may refer to %s", (_, schema, values) => {
    for (const value of values) expect(isHeld(schema, value)).toBe(true);
    expect(isHeld(schema, { next: 7, a: 7 })).toBe(false);
  });

  it("is refused if it always contains itself by a reference to the whole", () => {
    const schema = { type: "object", properties: { next: { $ref: "#" } }, required: ["next"] };
    expect(parseSchema(schema, { checked: true })).toMatchObject({ kind: "refused", path: "$defs.#" });
  });

  it.each([
    { type: "number", minimum: 5, maximum: 3 },
    { type: "number", exclusiveMinimum: 1, maximum: 1 },
    { type: "number", minimum: 1, exclusiveMaximum: 1 },
    { type: "number", minimum: 1e200 },
    { type: "integer", minimum: 1e15 },
    { type: "integer", exclusiveMaximum: -1e15 },
  ])("is refused if no answer can hold %j", (a) => {
    const schema = { type: "object", properties: { a } };
    expect(parseSchema(schema, { checked: true })).toMatchObject({ kind: "refused", path: "properties.a" });
  });

  it("tells parts apart to which references lead, whatever their names", () => {
    const schema = {
      type: "object",
      properties: {
        x: { type: "array", items: string },
        "x.items": { type: "integer" },
        a: { $ref: "#/properties/x/items" },
        b: { $ref: "#/properties/x.items" },
      },
    };
    const value = { x: [], "x.items": 1, a: "text", b: 2 };
    expect(isHeld(schema, value)).toBe(true);
    expect(isHeld(schema, { ...value, a: 1 })).toBe(false);
    expect(isHeld(schema, { ...value, b: "text" })).toBe(false);
  });

  it.each<[string, object]>([
    ["pattern", { type: "string", pattern: "(" }],
    ["uniqueItems", { type: "array", uniqueItems: "yes" }],
    ["$ref", { $ref: "#anchor" }],
    ["$ref", { $ref: "https://example.org/a", minLength: 1 }],
    ["pattern", { type: "string", pattern: "a".repeat(schemaLimits.patternChars + 1) }],
    ["pattern", { enum: ["a"], pattern: "a" }],
    ["minimum", { type: "number", minimum: "1" }],
    ["exclusiveMinimum", { type: "number", minimum: 1, exclusiveMinimum: true }],
    ["maxLength", { type: "string", maxLength: schemaLimits.counts + 1 }],
    ["if", { type: "string", if: {} }],
    ["propertyNames", { type: "object", propertyNames: { pattern: "a" } }],
  ])("is refused for %s if that cannot be checked", (path, schema) => {
    expect(parseSchema(schema, { checked: true })).toMatchObject({ kind: "refused", path });
  });
});
