import { expect, test } from "vitest";
import {
  checkDefinitions,
  checkDocumentType,
  SchemaDefinitionError,
  type TableShape,
} from "./schema-limits.ts";
import type { ValidatorJson } from "./validator-json.ts";

const table = (indexes: TableShape["indexes"], tableName = "jobs"): TableShape[] => [{ tableName, indexes }];
const index = (indexDescriptor: string, ...fields: string[]) => ({ indexDescriptor, fields });
const search = (indexDescriptor: string, searchField: string, ...filterFields: string[]) => ({
  indexDescriptor,
  searchField,
  filterFields,
});
const vector = (
  indexDescriptor: string,
  vectorField: string,
  dimensions: number,
  ...filterFields: string[]
) => ({
  indexDescriptor,
  vectorField,
  dimensions,
  filterFields,
});
const searched = (
  searchIndexes: TableShape["searchIndexes"] = [],
  vectorIndexes: TableShape["vectorIndexes"] = [],
  others: Partial<TableShape> = {},
): TableShape[] => [{ tableName: "jobs", indexes: [], searchIndexes, vectorIndexes, ...others }];
const many = (count: number) => Array.from({ length: count }, (_, n) => index(`by_${n}`, `f${n}`));
const fields = (count: number) => Array.from({ length: count }, (_, n) => `f${n}`);

test.each<[string, readonly TableShape[], string | null]>([
  ["the largest number of indexes", table(many(64)), null],
  ["one index too many", table(many(65)), 'Table "jobs" cannot have more than 64 indexes.'],
  ["the largest number of index fields", table([index("by_all", ...fields(16))]), null],
  ["one index field too many", table([index("by_all", ...fields(17))]), "Indexes may have up to 16 fields."],
  ["an index without fields", table([index("by_none")]), 'index "by_none" must have at least one field.'],
  [
    "an index field twice",
    table([index("by_a", "a", "a")]),
    "Duplicate field a. Index fields must be unique",
  ],
  ["a field path", table([index("by_a", "a.b_c.d9")]), null],
  ["an unfinished field path", table([index("by_a", "a.")]), 'In index "by_a": Invalid index field: "a."'],
  ["an index on the id", table([index("by_a", "_id")]), "`_id` is not a valid index field."],
  [
    "an index on the creation time",
    table([index("by_a", "_creationTime")]),
    "is automatically added to the end of each",
  ],
  ["an index on a system field", table([index("by_a", "_x")]), "Reserved fields (starting with `_`)"],
  [
    "two indexes on the same fields",
    table([index("a", "x"), index("b", "x")]),
    'index "b" and index "a" have the same fields.',
  ],
  ["an index name twice", table([index("a", "x"), index("a", "y")]), "two or more definitions of index"],
  [
    "an index named by_id",
    table([index("by_id", "x")]),
    'cannot name an index "by_id" because the name is reserved.',
  ],
  [
    "an overlong index name",
    table([index("a".repeat(65), "x")]),
    "Identifiers must be 64 characters or less",
  ],
  ["the longest index name", table([index("a".repeat(64), "x")]), null],
  [
    "a table name with a dash",
    table([], "a-b"),
    'Invalid table name: "a-b". Identifiers must start with a letter',
  ],
  ["a system table's name", table([], "_jobs"), "_jobs is a reserved table name."],
  [
    "too many tables",
    Array.from({ length: 10_001 }, (_, n) => ({ tableName: `t${n}`, indexes: [] })),
    "Number of tables cannot exceed 10000.",
  ],
  ["a search index", searched([search("s", "a.b", "c", "d.e")]), null],
  ["the largest number of filter fields", searched([search("s", "a", ...fields(16))]), null],
  [
    "one filter field too many",
    searched([search("s", "a", ...fields(17))]),
    'In table "jobs": Search indexes may have up to 16 filter fields.',
  ],
  ["an invalid search field", searched([search("s", "a.")]), 'In index "s": Invalid index field: "a."'],
  ["an invalid filter field", searched([search("s", "a", "$b")]), 'In index "s": Invalid index field: "$b"'],
  [
    "two search indexes on one field",
    searched([search("s", "a"), search("t", "a", "b")]),
    'In table "jobs" search index "t" and search index "s" have the same `searchField`.',
  ],
  ["vector indexes", searched([], [vector("v", "a", 2, "b"), vector("w", "a", 4_096)]), null],
  ["too few dimensions", searched([], [vector("v", "a", 1)]), "Dimensions 1 must be between 2 and 4096."],
  [
    "too many dimensions",
    searched([], [vector("v", "a", 4_097)]),
    "Dimensions 4097 must be between 2 and 4096.",
  ],
  ["half a dimension", searched([], [vector("v", "a", 2.5)]), "Dimensions 2.5 must be between"],
  [
    "two vector indexes on one field with the same dimensions",
    searched([], [vector("v", "a", 2), vector("w", "a", 2)]),
    'In table "jobs" vector index "w" and vector index "v" have the same `vectorField`.',
  ],
  [
    "one name for two kinds of indexes",
    searched([search("x", "a")], [vector("x", "b", 2)]),
    "two or more definitions of index",
  ],
  [
    "too many indexes of all kinds",
    searched([search("s", "a")], [vector("v", "b", 2)], { stagedDbIndexes: many(63) }),
    'Table "jobs" cannot have more than 64 indexes.',
  ],
  [
    "a staged search index on the field of another",
    searched([search("s", "a")], [], { stagedSearchIndexes: [search("t", "a")] }),
    "have the same `searchField`",
  ],
])("the definitions are checked for %s", (_, tables, problem) => {
  const check = () => {
    checkDefinitions(tables);
  };
  if (problem === null) expect(check).not.toThrow();
  else {
    expect(check).toThrow(SchemaDefinitionError);
    expect(check).toThrow(problem);
  }
});

const [object, any, text]: readonly [ValidatorJson, ValidatorJson, ValidatorJson] = [
  { type: "object", value: {} },
  { type: "any" },
  { type: "string" },
];
const union = (...value: ValidatorJson[]): ValidatorJson => ({ type: "union", value });

test.each([object, any, union(object, object)])("documents may have a validator such as %j", (validator) => {
  expect(() => {
    checkDocumentType(validator);
  }).not.toThrow();
});

test.each([
  [text, "v.string()"],
  [union(object, text), "v.string()"],
  [union(object, any), "v.any()"],
])("documents may not have the validator %j", (validator, found) => {
  expect(() => {
    checkDocumentType(validator);
  }).toThrow(`must be an object, a union of objects, or \`v.any()\`. Found ${found}.`);
});
