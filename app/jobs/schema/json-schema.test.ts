import { describe, expect, it } from "vitest";
import { parseKeptSchema, parseSchema } from "./json-schema.ts";
import { schemaLimits } from "./keywords.ts";

const string = { type: "string" };

describe("parseSchema", () => {
  it.each([
    [{ type: "string", minLength: 1, maxLength: 9 }],
    [{ type: ["string", "null"] }],
    [{ type: "string", format: "date" }],
    [{ enum: ["a", 1, null, true] }],
    [{ const: "x" }],
    [{ type: "object", properties: { a: string }, required: ["a"], additionalProperties: false }],
    [{ type: "object", properties: {}, required: [] }],
    [{ type: "object", additionalProperties: string, minProperties: 1 }],
    [{ type: "array", items: string, maxItems: 3 }],
    [{ type: "array", prefixItems: [string, { type: "integer" }], minItems: 2 }],
    [{ oneOf: [string, { type: "number" }], description: "either" }],
    [{ $ref: "#/$defs/a", $defs: { a: { type: "array", items: { $ref: "#/$defs/a" } } } }],
  ])("accepts the schema %j unchanged", (schema) => {
    expect(parseSchema(schema)).toEqual({ kind: "ok", schema });
  });

  it.each([
    [{ type: "string", title: "T", default: "x", examples: [], $schema: "s", strict: true }, string],
    [{ anyOf: [string] }, { oneOf: [string] }],
    [
      { $ref: "#/definitions/a", definitions: { a: string } },
      { $ref: "#/$defs/a", $defs: { a: string } },
    ],
    [{ type: "string", enum: ["a"] }, { enum: ["a"] }],
    [{ type: "object" }, { type: "object", additionalProperties: true }],
    [
      { type: "array", prefixItems: [string], items: false },
      { type: "array", prefixItems: [string], maxItems: 1 },
    ],
    [{ type: "integer", enum: ["a", 1, null] }, { enum: [1] }],
    [{ type: "string", enum: ["x"], minLength: 1 }, { enum: ["x"] }],
    [{ type: "string", enum: ["", "x", "xyz"], minLength: 1, maxLength: 2 }, { enum: ["x"] }],
    [{ enum: ["", "😀", 1, null], minLength: 1, maxLength: 1 }, { enum: ["😀", 1, null] }],
    [{ type: "string", const: "x", maxLength: 1 }, { const: "x" }],
    [
      { type: ["string", "null"], maxLength: 3 },
      { oneOf: [{ type: "string", maxLength: 3 }, { type: "null" }] },
    ],
    [
      { type: "object", properties: { a: string }, additionalProperties: true },
      { type: "object", properties: { a: string }, additionalProperties: false },
    ],
  ])("accepts the schema %j as %j", (given, schema) => {
    expect(parseSchema(given)).toEqual({ kind: "ok", schema });
  });

  const deep = (levels: number): object =>
    levels === 0 ? string : { type: "array", items: deep(levels - 1) };
  it.each([
    ["", null],
    ["", []],
    ["", true],
    ["", false],
    ["additionalProperties.anyOf.0", { type: "object", additionalProperties: { anyOf: [false, {}] } }],
    ["type", { type: "text" }],
    ["type", { type: ["object", "text"] }],
    ["", { oneOf: [string], enum: ["a"] }],
    ["properties.a.pattern", { type: "object", properties: { a: { type: "string", pattern: "x" } } }],
    ["minimum", { type: "integer", minimum: 3 }],
    ["not", { not: string }],
    ["anyOf.1.not", { anyOf: [string, { not: {} }] }],
    ["maxLength", { type: "string", maxLength: schemaLimits.repetitions + 1 }],
    ["uniqueItems", { type: "array", items: string, uniqueItems: true }],
    ["exclusiveMaximum", { type: ["null", "number"], exclusiveMaximum: 3 }],
    ["minimum", { type: "integer", minimum: 5, maximum: 1_000 }],
    ["multipleOf", { type: "number", multipleOf: 0 }],
    ["", { type: "integer", minimum: 5, maximum: 4 }],
    ["enum", { enum: [1, 2], minimum: 3 }],
    ["minItems", { type: "array", items: string, minItems: -1 }],
    ["maxLength", { type: "string", minLength: 3, maxLength: 2 }],
    ["maxItems", { type: "array", items: string, minItems: 3, maxItems: 2 }],
    [
      "properties.a.maxProperties",
      { type: "object", properties: { a: { type: "object", minProperties: 2, maxProperties: 1 } } },
    ],
    ["required", { type: "object", properties: { a: string }, required: ["a", "b"] }],
    ["required", { type: "object", required: ["a"] }],
    ["required", { type: "object", properties: { a: string }, required: ["toString"] }],
    ["required", { type: "object", properties: { a: string }, required: ["a", 1] }],
    ["required", { type: "object", properties: { a: string }, required: "a" }],
    ["required", { type: "string", required: ["a"] }],
    ["items.required", { type: "array", items: { type: "object", properties: {}, required: ["a"] } }],
    [
      "minProperties",
      { type: "object", properties: { a: { const: 1 } }, additionalProperties: false, minProperties: 5 },
    ],
    ["minProperties", { type: "object", properties: { a: string }, minProperties: 2 }],
    ["minProperties", { type: "object", additionalProperties: true, minProperties: 2 }],
    ["maxProperties", { type: "object", properties: { a: string, b: string }, maxProperties: 1 }],
    ["maxItems", { type: "array", prefixItems: [{ const: 1 }, { const: 2 }], maxItems: 1 }],
    ["minLength", { type: "string", format: "date", minLength: 100 }],
    ["enum", { type: "integer", enum: ["a"] }],
    ["const", { type: "string", const: 5 }],
    ["const", { type: ["integer", "null"], const: 0.5 }],
    ["const", { const: "abc", maxLength: 1 }],
    ["enum", { type: "string", enum: ["abc"], maxLength: 1 }],
    ["enum", { type: "string", enum: ["abc", 5], minLength: 4 }],
    ["format", { type: "string", enum: ["2026-01-01"], format: "date" }],
    ["maxLength", { enum: ["a"], minLength: 3, maxLength: 2 }],
    ["maxLength", { oneOf: [string], maxLength: 1 }],
    ["minItems", { $ref: "#/$defs/a", $defs: { a: string }, minItems: 1 }],
    ["format", { type: "integer", format: "date" }],
    ["maxLength", { type: ["integer", "null"], maxLength: 2 }],
    ["items", { type: "object", items: string }],
    ["oneOf", { oneOf: [{ type: "number" }, { type: "integer" }] }],
    ["oneOf", { oneOf: [string, { const: "a" }] }],
    ["oneOf", { oneOf: [{ enum: [1, 2] }, { enum: [2, 3] }] }],
    ["oneOf", { oneOf: [string, { $ref: "#/$defs/a" }], $defs: { a: { type: ["string", "null"] } } }],
    [
      "oneOf",
      {
        oneOf: [
          { type: "object", properties: { a: string } },
          { type: "object", properties: { b: string } },
        ],
      },
    ],
    ["definitions", { $ref: "#/$defs/a", $defs: { a: string }, definitions: { a: { type: "null" } } }],
    ["anyOf", { oneOf: [string], anyOf: [{ type: "null" }] }],
    ["$ref", { $ref: "#/$defs/a~1b", $defs: { "a~1b": string } }],
    ["$ref", { $ref: "#/properties/b/c" }],
    ["format", { type: "string", format: "uri" }],
    ["enum", { enum: [] }],
    ["enum", { enum: [{}] }],
    ["enum", { enum: [Infinity] }],
    ["const", { const: "\ud800" }],
    ["$ref", { $ref: "https://example.org" }],
    ["$ref", { $ref: "#/$defs/b", $defs: { a: string } }],
    ["items.$defs", { type: "array", items: { type: "string", $defs: {} } }],
    ["properties", { type: "object", properties: [] }],
    [Array(schemaLimits.depth).fill("items").join("."), deep(schemaLimits.depth)],
  ])("refuses a schema and names the wrong place %j", (path, schema) => {
    expect(parseSchema(schema)).toMatchObject({ kind: "refused", path });
  });

  it.each([
    [{ type: "text" }, "has to be a JSON type, or a list of JSON types"],
    [{ const: { a: 1 } }, "has to be text, a number, true, false or null"],
    [{ enum: ["a", ["b"]] }, "has to be text, a number, true, false or null"],
  ])("says about %j what is accepted", (schema, reason) => {
    expect(parseSchema(schema)).toMatchObject({ kind: "refused", reason });
  });

  it("refuses a schema with too many nested schemas", () => {
    const many = Array<object>(schemaLimits.nodes).fill(string);
    expect(parseSchema({ oneOf: many })).toMatchObject({ kind: "refused" });
  });
});

it("accepts alternatives that no value matches together, and overlapping ones by anyOf", () => {
  const of = (kind: string) => ({ type: "object", properties: { kind: { const: kind }, text: string } });
  expect(parseSchema({ oneOf: [of("a"), of("b"), { type: "null" }] })).toMatchObject({ kind: "ok" });
  const any = parseSchema({ anyOf: [{ type: "number" }, { type: "integer" }] });
  expect(any).toMatchObject({ kind: "ok" });
  if (any.kind === "ok") expect(parseKeptSchema(any.schema)).toEqual(any);
});

it("names an unknown required property, with its hidden characters replaced", () => {
  const schema = { type: "object", properties: { a: string }, required: ["b\u202e"] };
  const reason = `names "b\ufffd", which properties does not define`;
  expect(parseSchema(schema)).toEqual({ kind: "refused", path: "required", reason });
});

it.each(["\0", "\u0001", "\b", "\f", "\u001b", "\u001f"])(
  "refuses the control character %j in texts to write",
  (control) => {
    const reason = expect.stringContaining("control character") as string;
    for (const schema of [
      { const: `a${control}` },
      { enum: ["a", control] },
      { type: "object", properties: { [control]: { type: "string" } } },
    ]) {
      expect(parseSchema(schema)).toMatchObject({ kind: "refused", reason });
    }
  },
);

it("accepts tabs, line breaks and other characters in texts to write", () => {
  expect(parseSchema({ const: "a\t\n\r\u007f\u2028\u00e9" })).toMatchObject({ kind: "ok" });
});
