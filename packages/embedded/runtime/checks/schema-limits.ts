import { identifierProblem } from "./identifier.ts";
import { limits } from "./limits.ts";

type Index = { readonly indexDescriptor: string; readonly fields?: readonly string[] };

/** A table as the convex package exports it. */
export type TableShape = {
  readonly tableName: string;
  readonly indexes: readonly Index[];
  readonly searchIndexes?: readonly Index[];
  readonly vectorIndexes?: readonly Index[];
};

/** Convex would refuse the definitions in `schema.ts`. */
export class SchemaDefinitionError extends Error {
  override readonly name = "SchemaDefinitionError";
}

const reservedIndexes = new Set(["by_id", "by_creation_time"]);

/** Checks names and numbers of tables and indexes. Throws SchemaDefinitionError in Convex's words. */
export function checkDefinitions(tables: readonly TableShape[]): void {
  if (tables.length > limits.tables) refuse(`Number of tables cannot exceed ${limits.tables}.`);
  for (const table of tables) checkTable(table);
}

function checkTable({ tableName, indexes, searchIndexes = [], vectorIndexes = [] }: TableShape): void {
  if (identifierProblem(tableName) !== null) {
    refuse(
      `Invalid table name: "${tableName}". Identifiers must start with a letter and can only contain letters, digits, and underscores.`,
    );
  }
  if (tableName.startsWith("_")) refuse(`${tableName} is a reserved table name.`);
  const all = [...indexes, ...searchIndexes, ...vectorIndexes];
  if (all.length > limits.indexesPerTable) {
    refuse(`Table "${tableName}" cannot have more than ${limits.indexesPerTable} indexes.`);
  }
  for (const index of indexes) checkFields(tableName, index);
  checkDistinct(tableName, indexes);
  const seen = new Set<string>();
  for (const { indexDescriptor: name } of all) {
    checkIndexName(tableName, name);
    if (seen.has(name)) refuse(`Table "${tableName}" has two or more definitions of index "${name}".`);
    seen.add(name);
  }
}

function checkIndexName(table: string, name: string): void {
  if (reservedIndexes.has(name) || name.startsWith("_")) {
    refuse(
      `In table "${table}" cannot name an index "${name}" because the name is reserved. Indexes may not start with an underscore or be named "by_id" or "by_creation_time".`,
    );
  }
  if (identifierProblem(name) !== null) {
    refuse(
      `In table "${table}": Invalid index name: "${name}". Identifiers must be ${limits.identifierLength} characters or less, start with a letter, and only contain letters, digits, underscores.`,
    );
  }
}

function checkFields(table: string, { indexDescriptor: name, fields = [] }: Index): void {
  const problem = fieldsProblem(name, fields);
  if (problem !== null) refuse(`In table "${table}": ${problem}`);
  if (fields.length === 0) refuse(`In table "${table}" index "${name}" must have at least one field.`);
}

function fieldsProblem(name: string, fields: readonly string[]): string | null {
  const bad = fields.find((path) => path.split(".").some((part) => identifierProblem(part) !== null));
  if (bad !== undefined) return `In index "${name}": Invalid index field: "${bad}"`;
  const inIndex = `In index "${name}": `;
  if (fields.length > limits.fieldsPerIndex) {
    return `${inIndex}Indexes may have up to ${limits.fieldsPerIndex} fields.`;
  }
  if (fields.includes("_id")) {
    return `${inIndex}\`_id\` is not a valid index field. To load documents by ID, use \`db.get(id)\`.`;
  }
  if (fields.includes("_creationTime")) {
    return `${inIndex}\`_creationTime\` is automatically added to the end of each index. It should not be added explicitly in the index definition. See https://docs.convex.dev/using/indexes for more details.`;
  }
  if (fields.some((path) => path.startsWith("_"))) {
    return `${inIndex}Reserved fields (starting with \`_\`) are not allowed in indexes.`;
  }
  const twice = fields.find((path, index) => fields.indexOf(path) !== index);
  if (twice === undefined) return null;
  return `${inIndex}Duplicate field ${twice}. Index fields must be unique within an index.`;
}

function checkDistinct(table: string, indexes: readonly Index[]): void {
  const seen = new Map<string, string>();
  for (const { indexDescriptor: name, fields = [] } of indexes) {
    const key = fields.join();
    const other = seen.get(key);
    if (other !== undefined) {
      refuse(
        `In table "${table}" index "${name}" and index "${other}" have the same fields. Indexes must be unique within a table.`,
      );
    }
    seen.set(key, name);
  }
}

function refuse(message: string): never {
  throw new SchemaDefinitionError(message);
}
