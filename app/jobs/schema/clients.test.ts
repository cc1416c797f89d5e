import { describe, expect, it } from "vitest";
import * as z from "zod";
import { isRecord, recordOf } from "../../json.ts";
import { holdsSchema } from "../answers/schema-check.ts";
import { parseChat } from "../parse/parse-chat.ts";
import { needsCheck } from "./checks.ts";

/** Schemas as the clients' libraries write them, each with a value that it allows. */
const zodUser = z.object({
  name: z.string().min(1).max(10_000).describe("Full name."),
  age: z.int(),
  score: z.number().min(0).max(1),
  stars: z.int().min(1).max(5),
  email: z.email(),
  id: z.uuid(),
  site: z.url().nullable(),
  role: z.enum(["admin", "user"]).default("user"),
  tags: z.array(z.string().regex(/^[a-z]+$/)).max(5),
  pair: z.tuple([z.string(), z.number()]),
  kind: z.literal("user"),
  any: z.unknown(),
  by: z.record(z.string(), z.boolean()),
  either: z.union([z.string(), z.number()]),
  shape: z.discriminatedUnion("type", [
    z.object({ type: z.literal("a"), a: z.string() }),
    z.object({ type: z.literal("b"), b: z.boolean() }),
  ]),
});
const zodUserValue = {
  name: "Ada",
  age: 36,
  score: 0.5,
  stars: 5,
  email: "ada@example.org",
  id: "123e4567-e89b-42d3-a456-426614174000",
  site: null,
  role: "admin",
  tags: ["math"],
  pair: ["a", 1],
  kind: "user",
  any: [1, { a: null }],
  by: { a: true },
  either: 7,
  shape: { type: "b", b: true },
};

const category = z.object({
  name: z.string(),
  get children() {
    return z.array(category);
  },
});

/** By Pydantic 2: `Order.model_json_schema()`, with an optional field, a nested model, an enum and bounds. */
const pydanticOrder = {
  $defs: {
    Color: { enum: ["red", "blue"], title: "Color", type: "string" },
    Item: {
      description: "One line of an order.",
      properties: {
        sku: { pattern: "^[A-Z]{2}\\d+$", title: "Sku", type: "string" },
        count: { exclusiveMinimum: 0, maximum: 1000, title: "Count", type: "integer" },
        color: { $ref: "#/$defs/Color", default: "red" },
        price: { anyOf: [{ minimum: 0, type: "number" }, { type: "string" }], title: "Price" },
      },
      required: ["sku", "count", "price"],
      title: "Item",
      type: "object",
    },
  },
  properties: {
    id: { format: "uuid", title: "Id", type: "string" },
    placed_at: { format: "date-time", title: "Placed At", type: "string" },
    note: { anyOf: [{ maxLength: 200, type: "string" }, { type: "null" }], default: null, title: "Note" },
    items: { items: { $ref: "#/$defs/Item" }, minItems: 1, title: "Items", type: "array" },
    labels: { additionalProperties: { type: "string" }, title: "Labels", type: "object" },
    extra: { default: {}, title: "Extra" },
    codes: { items: { type: "integer" }, title: "Codes", type: "array", uniqueItems: true },
  },
  required: ["id", "placed_at", "items", "codes"],
  title: "Order",
  type: "object",
};
const pydanticOrderValue = {
  id: "123e4567-e89b-42d3-a456-426614174000",
  placed_at: "2026-01-31T10:00:00Z",
  note: null,
  items: [{ sku: "AB12", count: 3, color: "blue", price: 9.5 }],
  labels: { a: "b" },
  extra: 7,
  codes: [1, 2],
};

/** Of tools of MCP servers: no types, empty lists, formats, draft 7 and annotations of their own. */
const mcpTools: Readonly<Record<string, unknown>> = {
  list_directories: { type: "object", properties: {}, required: [] },
  ping: {},
  read_file: {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: {
      path: { type: "string", description: "Where it is.", minLength: 1 },
      head: { type: "number", description: "The first lines.", minimum: 1 },
      encoding: { default: "utf-8" },
      since: { type: "string", format: "date-time" },
      link: { type: "string", format: "uri-reference", "x-order": 3 },
    },
    required: ["path"],
    additionalProperties: false,
  },
  query: {
    properties: {
      filter: { oneOf: [{ type: "string" }, { type: "object", patternProperties: { "^x-": {} } }] },
      page: { type: ["integer", "null"], minimum: 1, default: 1 },
      sort: { type: ["array", "string"], items: { enum: ["asc", "desc"] } },
      where: { if: { properties: { a: { const: 1 } } }, then: { required: ["b"] } },
    },
    required: ["filter", "limit"],
  },
};

const zodJson = z.toJSONSchema(zodUser);
const categoryJson = z.toJSONSchema(category);

const body = (fields: object): string =>
  JSON.stringify({ model: "m", messages: [{ role: "user", content: "x" }], ...fields });

/** The schema of a tool, as it goes to a device. */
function toolSchema(parameters: unknown, strict: boolean | undefined): Readonly<Record<string, unknown>> {
  const parsed = parseChat(
    body({ tools: [{ type: "function", function: { name: "f", parameters, strict } }] }),
  );
  if (parsed.kind === "refused") throw new Error(JSON.stringify(parsed.refusal));
  const schema: unknown = JSON.parse(parsed.asked.request.tools?.[0]?.parameters ?? "");
  if (!isRecord(schema)) throw new Error("no schema");
  return schema;
}

function answerSchema(schema: unknown, strict: boolean): unknown {
  const format = { type: "json_schema", json_schema: { name: "a", schema, strict } };
  const parsed = parseChat(body({ response_format: format }));
  return parsed.kind === "parsed" ? parsed.asked.request.format : parsed.refusal;
}

describe("the schema of a tool or an answer that is not strict", () => {
  it.each([
    ["zod", zodJson, zodUserValue],
    ["zod's recursive objects", categoryJson, { name: "a", children: [{ name: "b", children: [] }] }],
    ["Pydantic", pydanticOrder, pydanticOrderValue],
    ["an MCP server without properties", mcpTools["list_directories"], {}],
    ["an MCP server without anything", mcpTools["ping"], { a: 1 }],
    [
      "an MCP server with formats",
      mcpTools["read_file"],
      { path: "a", head: 3, encoding: 1, since: "2026-01-01T00:00:00Z", link: "b" },
    ],
    [
      "an MCP server without types",
      mcpTools["query"],
      { filter: "a", page: null, sort: ["asc"], where: { a: 1 } },
    ],
  ])("is taken as %s writes it, with its properties", (_, given, value) => {
    for (const strict of [undefined, false]) {
      const schema = toolSchema(given, strict);
      expect(Object.keys(recordOf(schema["properties"]))).toEqual(
        Object.keys(recordOf(recordOf(given)["properties"])),
      );
      expect(needsCheck(JSON.stringify(schema))).toBe(false);
      expect(holdsSchema(schema, value)).toBe(true);
    }
    expect(answerSchema(given, false)).toMatchObject({ kind: "json-schema" });
  });

  it("is enforced for bounds that a grammar can list, and told in words for others", () => {
    const properties = recordOf(toolSchema(zodJson, undefined)["properties"]);
    expect(properties["stars"]).toMatchObject({ enum: [1, 2, 3, 4, 5] });
    expect(properties["age"]).toEqual({ type: "integer" });
    expect(properties["score"]).toEqual({ type: "number", description: "(minimum: 0; maximum: 1)" });
  });
});

it("names all keys of a record by an enum only in strict schemas", () => {
  const labels = z.toJSONSchema(z.object({ v: z.partialRecord(z.enum(["a", "b"]), z.string()) }));
  expect(recordOf(toolSchema(labels, undefined)["properties"])["v"]).toEqual({
    type: "object",
    additionalProperties: { type: "string" },
  });
  expect(recordOf(toolSchema(labels, true)["properties"])["v"]).toMatchObject({
    properties: { a: { type: "string" }, b: { type: "string" } },
    additionalProperties: false,
  });
});

describe("a strict schema of a client's library", () => {
  it.each<[string, unknown, object, ...object[]]>([
    ["zod", zodJson, zodUserValue, { score: 1.5 }, { tags: ["A"] }, { email: "no" }, { stars: 6 }],
    ["Pydantic", pydanticOrder, pydanticOrderValue, { codes: [1, 1] }, { id: "x" }, { items: [] }],
  ])("holds the answer to all that %s says", (_, given, value, ...wrong) => {
    const schema = toolSchema(given, true);
    expect(answerSchema(given, true)).toEqual({ kind: "json-schema", schema: JSON.stringify(schema) });
    expect(needsCheck(JSON.stringify(schema))).toBe(true);
    expect(holdsSchema(schema, value, { patterns: true })).toBe(true);
    for (const fault of wrong)
      expect(holdsSchema(schema, { ...value, ...fault }, { patterns: true }), JSON.stringify(fault)).toBe(
        false,
      );
  });

  it.each([
    [
      "several patterns",
      z.string().startsWith("ab").endsWith("yz").regex(/\d/),
      "ab1yz",
      "ab1",
      "xb1yz",
      "abyz",
    ],
    [
      "patterns at several places",
      z.intersection(z.string().startsWith("ab").endsWith("yz"), z.string().regex(/\d/).regex(/x/)),
      "ab1xyz",
      "ab1yz",
      "abxyz",
    ],
    ["a pattern and a format", z.email().regex(/\.org$/), "a@b.org", "a@b.com", ".org"],
    ["base64", z.base64(), "aGk=", "aGk"],
    [
      "a record by an enum",
      z.record(z.enum(["a", "b"]), z.int().max(9)),
      { a: 1, b: 2 },
      { a: 1 },
      { a: 1, b: 20 },
    ],
    ["a part of a record", z.partialRecord(z.enum(["a", "b"]), z.int()), { a: 1, b: 2 }, { c: 1 }],
    [
      "hundreds of constants",
      z.enum(Array.from({ length: 600 }, (_, n) => `zone ${n}`)),
      "zone 599",
      "zone 600",
    ],
  ])("may have %s, as zod writes it", (_, type, value, ...wrong) => {
    const schema = toolSchema(z.toJSONSchema(z.object({ v: type })), true);
    expect(type.safeParse(value)).toMatchObject({ success: true });
    expect(holdsSchema(schema, { v: value }, { patterns: true })).toBe(true);
    for (const v of wrong)
      expect(holdsSchema(schema, { v }, { patterns: true }), JSON.stringify(v)).toBe(false);
  });

  it("may name a discriminator, as Pydantic does, and have keywords of others' own", () => {
    const pet = (kind: string) => ({ type: "object", properties: { kind: { const: kind } } });
    const given = {
      $defs: { Cat: pet("cat"), Dog: pet("dog") },
      type: "object",
      "x-order": 1,
      properties: {
        pet: {
          discriminator: { propertyName: "kind", mapping: { cat: "#/$defs/Cat", dog: "#/$defs/Dog" } },
          oneOf: [{ $ref: "#/$defs/Cat" }, { $ref: "#/$defs/Dog" }],
        },
      },
    };
    const schema = toolSchema(given, true);
    expect(holdsSchema(schema, { pet: { kind: "dog" } })).toBe(true);
    expect(holdsSchema(schema, { pet: { kind: "cow" } })).toBe(false);
  });

  it("may contain itself, as zod writes it", () => {
    const schema = toolSchema(categoryJson, true);
    expect(holdsSchema(schema, { name: "a", children: [{ name: "b", children: [] }] })).toBe(true);
    expect(holdsSchema(schema, { name: "a", children: [{ name: "b", children: [7] }] })).toBe(false);
  });
});
