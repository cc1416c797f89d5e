import { expect, onTestFinished, test } from "vitest";
import { openEngine } from "../../engine/engine.ts";
import type { Engine, Transaction } from "../../engine/model/types.ts";
import type { KeyRange } from "../../values/keys/index-range.ts";
import { checkNewDocument, parseSchema, SchemaMismatchError } from "./schema.ts";
import { checkChangedTables } from "./verified-tables.ts";

const fields = (type: "string" | "number") => ({
  type: "object",
  value: { text: { fieldType: { type }, optional: false } },
});

const schemaOf = (validators: { readonly [table: string]: "string" | "number" }, schemaValidation = true) =>
  parseSchema(
    JSON.stringify({
      tables: Object.entries(validators).map(([tableName, type]) => ({
        tableName,
        indexes: [],
        documentType: fields(type),
      })),
      schemaValidation,
    }),
  );

/** Opens an engine in memory that records which tables are scanned. */
async function setUp() {
  const engine = openEngine({ path: ":memory:" });
  onTestFinished(() => engine.close());
  const scanned: string[] = [];
  const begin = engine.begin.bind(engine);
  engine.begin = (options) => {
    const transaction = begin(options);
    const scan = transaction.scan.bind(transaction);
    transaction.scan = (range: KeyRange, order) => {
      scanned.push(range.table);
      return scan(range, order);
    };
    return transaction;
  };
  const start = (schema: ReturnType<typeof schemaOf>) => {
    scanned.length = 0;
    const components = [{ path: "", modules: { schema } }];
    checkChangedTables(engine, components, () => engine.applySchema(schema.tables));
    return [...scanned];
  };
  return { engine, start };
}

async function write(engine: Engine, work: (transaction: Transaction) => void): Promise<void> {
  const transaction = engine.begin();
  work(transaction);
  await engine.commit(transaction);
}

test("a verified table is not read again until its validator changes", async () => {
  const { engine, start } = await setUp();
  expect(start(schemaOf({ notes: "string", tags: "string" }))).toEqual([]);
  await write(engine, (transaction) => transaction.insert("notes", { text: "a" }));
  expect(start(schemaOf({ notes: "string", tags: "string" }))).toEqual([]);
  expect(start(schemaOf({ notes: "string", tags: "number" }))).toEqual(["tags"]);
  expect(start(schemaOf({ notes: "string", tags: "number" }))).toEqual([]);
});

test("a mismatch is found at each start, and the old schema stays applied", async () => {
  const { engine, start } = await setUp();
  start(schemaOf({ notes: "string" }));
  await write(engine, (transaction) => transaction.insert("notes", { text: "a" }));
  const definition = engine.definitionOf("notes");
  for (let attempt = 0; attempt < 2; attempt += 1) {
    expect(() => start(schemaOf({ notes: "number" }))).toThrow(SchemaMismatchError);
  }
  expect(engine.definitionOf("notes")).toEqual(definition);
});

test("documents written without validation are checked when validation is turned on", async () => {
  const { engine, start } = await setUp();
  start(schemaOf({ notes: "string" }));
  start(schemaOf({ notes: "string" }, false));
  await write(engine, (transaction) => transaction.insert("notes", { text: 5 }));
  expect(() => start(schemaOf({ notes: "string" }))).toThrow(SchemaMismatchError);
});

test("the system fields that a validator names are ignored, as on Convex", () => {
  const text = { fieldType: { type: "string" }, optional: false };
  const documentType = { type: "object", value: { _id: text, _creationTime: text, text } };
  const tables = [{ tableName: "notes", indexes: [], documentType }];
  const schema = parseSchema(JSON.stringify({ tables, schemaValidation: true }));
  expect(checkNewDocument(schema, "notes", { text: "b" }, () => null)).toBeNull();
  expect(checkNewDocument(schema, "notes", { text: 1 }, () => null)).toContain("v.string()");
});
