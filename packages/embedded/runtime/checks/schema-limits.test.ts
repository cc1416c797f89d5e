import { expect, test } from "vitest";
import { checkDefinitions, SchemaDefinitionError, type TableShape } from "./schema-limits.ts";

const table = (indexes: TableShape["indexes"], tableName = "jobs"): TableShape[] => [{ tableName, indexes }];
const index = (indexDescriptor: string, ...fields: string[]) => ({ indexDescriptor, fields });
const many = (count: number) => Array.from({ length: count }, (_, n) => index(`by_${n}`, `f${n}`));
const fields = (count: number) => Array.from({ length: count }, (_, n) => `f${n}`);

test.each<[string, readonly TableShape[], string | null]>([
  ["as many indexes as there may be", table(many(64)), null],
  ["one more", table(many(65)), 'Table "jobs" cannot have more than 64 indexes.'],
  ["as many fields as there may be", table([index("by_all", ...fields(16))]), null],
  ["one more field", table([index("by_all", ...fields(17))]), "Indexes may have up to 16 fields."],
  ["no field", table([index("by_none")]), 'index "by_none" must have at least one field.'],
  ["a field twice", table([index("by_a", "a", "a")]), "Duplicate field a. Index fields must be unique"],
  ["a path", table([index("by_a", "a.b_c.d9")]), null],
  ["half a path", table([index("by_a", "a.")]), 'In index "by_a": Invalid index field: "a."'],
  ["the id", table([index("by_a", "_id")]), "`_id` is not a valid index field."],
  ["the creation time", table([index("by_a", "_creationTime")]), "is automatically added to the end of each"],
  ["a system field", table([index("by_a", "_x")]), "Reserved fields (starting with `_`)"],
  ["two alike", table([index("a", "x"), index("b", "x")]), 'index "b" and index "a" have the same fields.'],
  ["a name twice", table([index("a", "x"), index("a", "y")]), "two or more definitions of index"],
  ["by_id", table([index("by_id", "x")]), 'cannot name an index "by_id" because the name is reserved.'],
  ["a long name", table([index("a".repeat(65), "x")]), "Identifiers must be 64 characters or less"],
  ["the longest name", table([index("a".repeat(64), "x")]), null],
  [
    "a table with a dash",
    table([], "a-b"),
    'Invalid table name: "a-b". Identifiers must start with a letter',
  ],
  ["a system table", table([], "_jobs"), "_jobs is a reserved table name."],
  [
    "too many tables",
    Array.from({ length: 10_001 }, (_, n) => ({ tableName: `t${n}`, indexes: [] })),
    "Number of tables cannot exceed 10000.",
  ],
])("%s", (_, tables, problem) => {
  const check = () => {
    checkDefinitions(tables);
  };
  if (problem === null) expect(check).not.toThrow();
  else {
    expect(check).toThrow(SchemaDefinitionError);
    expect(check).toThrow(problem);
  }
});
