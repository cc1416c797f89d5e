import { describe, expect, it } from "vitest";
import { parseSchema, schemaLimits } from "./json-schema.ts";

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
    [{ $ref: "#/$defs/a", $defs: { a: { type: "object", properties: { next: { $ref: "#/$defs/a" } } } } }],
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
  ])("accepts the schema %j as %j", (given, schema) => {
    expect(parseSchema(given)).toEqual({ kind: "ok", schema });
  });

  const deep = (levels: number): object =>
    levels === 0 ? string : { type: "array", items: deep(levels - 1) };
  it.each([
    ["", null],
    ["", []],
    ["", {}],
    ["", { description: "nothing" }],
    ["type", { type: "text" }],
    ["type", { type: ["object", "null"] }],
    ["", { oneOf: [string], enum: ["a"] }],
    ["properties.a.pattern", { type: "object", properties: { a: { type: "string", pattern: "x" } } }],
    ["minimum", { type: "integer", minimum: 3 }],
    ["not", { not: string }],
    ["anyOf.1", { anyOf: [string, {}] }],
    ["maxLength", { type: "string", maxLength: schemaLimits.repetitions + 1 }],
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

  it("refuses a schema with too many nested schemas", () => {
    const many = Array<object>(schemaLimits.nodes).fill(string);
    expect(parseSchema({ oneOf: many })).toMatchObject({ kind: "refused" });
  });
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
