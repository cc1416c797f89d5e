import type { Value } from "convex/values";
import { expect, test } from "vitest";
import { api, modules } from "../../packages/embedded/test-app.fixture.ts";
import { httpClient } from "./deployment.ts";
import { saying } from "./expectations.ts";

const validator = 'v.object({count: v.float64(), tag: v.optional(v.union(v.literal("a"), v.literal("b")))})';

test.each<[string, Record<string, Value>, string]>([
  [
    "a missing field",
    {},
    "ArgumentValidationError: Object is missing the required field `count`. Consider wrapping the field " +
      `validator in \`v.optional(...)\` if this is expected.\n\nObject: {}\nValidator: ${validator}`,
  ],
  [
    "a wrong type",
    { count: "one" },
    'ArgumentValidationError: Value does not match validator.\nPath: .count\nValue: "one"\nValidator: v.float64()',
  ],
  [
    "an int64 for a number",
    { count: 1n },
    "ArgumentValidationError: Value does not match validator.\nPath: .count\nValue: 1\nValidator: v.float64()",
  ],
  [
    "an unknown field",
    { count: 1, extra: true },
    "ArgumentValidationError: Object contains extra field `extra` that is not in the validator.\n\n" +
      `Object: {count: 1.0, extra: true}\nValidator: ${validator}`,
  ],
  [
    "a value outside of the union",
    { count: 1, tag: "c" },
    "ArgumentValidationError: Value does not match validator.\nPath: .tag\n" +
      'Value: "c"\nValidator: v.union(v.literal("a"), v.literal("b"))',
  ],
])("arguments are refused in Convex's words: %s", async (_, args, message) => {
  await expect(httpClient().query(api.values.strict, args as never)).rejects.toThrow(saying(message));
});

test("a returned value is refused in Convex's words", async () => {
  await expect(httpClient().query(api.values.wrongReturn, {})).rejects.toThrow(
    saying("ReturnsValidationError: Value does not match validator.\n\nValue: 7.0\nValidator: v.string()"),
  );
});

const inTable =
  'Failed to insert or update a document in table "typed" because it does not match the schema: ';
const mismatch = (path: string, value: string, validator: string): string =>
  `${inTable}Value does not match validator.\nPath: ${path}\nValue: ${value}\nValidator: ${validator}`;

test.each<[string, Record<string, Value>, string]>([
  ["a missing field", {}, `${inTable}Object is missing the required field \`name\`.`],
  ["an unknown field", { name: "x", more: 1 }, `${inTable}Object contains extra field \`more\``],
  ["a wrong type", { name: 7 }, mismatch(".name", "7.0", "v.string()")],
  ["a number for an int64", { name: "x", big: 1 }, mismatch(".big", "1.0", "v.int64()")],
  ["null for a number", { name: "x", count: null }, mismatch(".count", "null", "v.float64()")],
  ["text for bytes", { name: "x", raw: "y" }, mismatch(".raw", '"y"', "v.bytes()")],
  ["an element of an array", { name: "x", tags: ["y", 1] }, mismatch(".tags[1]", "1.0", "v.string()")],
  ["a record's value", { name: "x", scores: { a: "b" } }, mismatch(".scores.values()", '"b"', "v.float64()")],
  ["a nested field", { name: "x", place: { city: 1 } }, mismatch(".place.city", "1.0", "v.string()")],
  [
    "a text that is not an id",
    { name: "x", thing: "nonsense" },
    mismatch(".thing", '"nonsense"', 'v.id("things")'),
  ],
])("documents are refused in Convex's words: %s", async (_, document, message) => {
  await expect(httpClient().mutation(modules.things.insertTyped, { document })).rejects.toThrow(
    saying(message),
  );
});

test("an id of another table is refused in Convex's words", async () => {
  const channel = "validation";
  const thing = await httpClient().mutation(api.messages.send, { channel, body: "x" });
  await expect(
    httpClient().mutation(modules.things.insertTyped, { document: { name: "x", thing } }),
  ).rejects.toThrow(
    saying(
      `Found ID "${thing}" from table \`messages\`, which does not match the table name in validator \`v.id("things")\`.`,
    ),
  );
});

test("a document that fits the schema is stored", async () => {
  const document = {
    name: "x",
    count: 1,
    big: 2n,
    raw: new ArrayBuffer(1),
    level: "low",
    tags: [],
    scores: { a: 1 },
    place: { city: "y" },
  };
  expect(await httpClient().mutation(modules.things.insertTyped, { document })).toBeNull();
});

test("a staged validator refuses no document", async () => {
  const write = (document: Record<string, Value>) =>
    httpClient().mutation(modules.things.insertTyped, { document });
  expect(await write({ name: "x", count: 1, level: "high" })).toBeNull();
  await expect(write({ name: "x", count: "one" })).rejects.toThrow(
    saying(mismatch(".count", '"one"', "v.float64()")),
  );
});
