import { formatValidator } from "./format-value.ts";
import { identifierProblem } from "./identifier.ts";
import { limits } from "./limits.ts";
import type { ValidatorJson } from "./validator-json.ts";

type Named = { readonly indexDescriptor: string };
type OrderedIndex = Named & { readonly fields: readonly string[] };
type SearchIndex = Named & { readonly searchField: string; readonly filterFields: readonly string[] };
type VectorIndex = Named & {
  readonly vectorField: string;
  readonly dimensions: number;
  readonly filterFields: readonly string[];
};

/** A table as the convex package exports it. */
export type TableShape = {
  readonly tableName: string;
  readonly indexes: readonly OrderedIndex[];
  readonly searchIndexes?: readonly SearchIndex[];
  readonly vectorIndexes?: readonly VectorIndex[];
  readonly stagedDbIndexes?: readonly OrderedIndex[];
  readonly stagedSearchIndexes?: readonly SearchIndex[];
  readonly stagedVectorIndexes?: readonly VectorIndex[];
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

/** Checks that a validator is one of documents. Throws SchemaDefinitionError in Convex's words. */
export function checkDocumentType(validator: ValidatorJson): void {
  const members = validator.type === "union" ? validator.value : [validator];
  const wrong = members.find(
    ({ type }) => type !== "object" && (type !== "any" || validator.type === "union"),
  );
  if (wrong === undefined) return;
  refuse(
    `The document validator in a schema must be an object, a union of objects, or \`v.any()\`. Found ${formatValidator(wrong)}. To learn more, see the schema documentation at https://docs.convex.dev/database/schemas.`,
  );
}

/** The table's indexes that queries may not use yet. */
export function stagedIndexes(table: TableShape): readonly Named[] {
  const { stagedDbIndexes = [], stagedSearchIndexes = [], stagedVectorIndexes = [] } = table;
  return [...stagedDbIndexes, ...stagedSearchIndexes, ...stagedVectorIndexes];
}

function checkTable(table: TableShape): void {
  const { tableName } = table;
  if (identifierProblem(tableName) !== null) {
    refuse(
      `Invalid table name: "${tableName}". Identifiers must start with a letter and can only contain letters, digits, and underscores.`,
    );
  }
  if (tableName.startsWith("_")) refuse(`${tableName} is a reserved table name.`);
  const ordered = [...table.indexes, ...(table.stagedDbIndexes ?? [])];
  const search = [...(table.searchIndexes ?? []), ...(table.stagedSearchIndexes ?? [])];
  const vector = [...(table.vectorIndexes ?? []), ...(table.stagedVectorIndexes ?? [])];
  const all: readonly Named[] = [...ordered, ...search, ...vector];
  if (all.length > limits.indexesPerTable) {
    refuse(`Table "${tableName}" cannot have more than ${limits.indexesPerTable} indexes.`);
  }
  for (const index of ordered) checkFields(tableName, index);
  checkDistinct(tableName, ordered);
  for (const index of search) checkSearched(tableName, index, index.searchField);
  checkDistinctSearch(
    tableName,
    "search",
    "searchField",
    search.map(named(({ searchField }) => searchField)),
  );
  for (const index of vector) {
    checkSearched(tableName, index, index.vectorField);
    checkDimensions(tableName, index.dimensions);
  }
  // Two vector indexes may have the same field if their vectors have different lengths.
  const vectors = vector.map(named(({ vectorField, dimensions }) => `${vectorField} ${dimensions}`));
  checkDistinctSearch(tableName, "vector", "vectorField", vectors);
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

function checkFields(table: string, { indexDescriptor: name, fields }: OrderedIndex): void {
  const problem = fieldsProblem(name, fields);
  if (problem !== null) refuse(`In table "${table}": ${problem}`);
  if (fields.length === 0) refuse(`In table "${table}" index "${name}" must have at least one field.`);
}

function fieldsProblem(name: string, fields: readonly string[]): string | null {
  const invalid = pathProblem(name, fields);
  if (invalid !== null) return invalid;
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

function pathProblem(name: string, fields: readonly string[]): string | null {
  const bad = fields.find((path) => path.split(".").some((part) => identifierProblem(part) !== null));
  return bad === undefined ? null : `In index "${name}": Invalid index field: "${bad}"`;
}

function checkSearched(
  table: string,
  { indexDescriptor: name, filterFields }: Named & { readonly filterFields: readonly string[] },
  field: string,
): void {
  const problem = pathProblem(name, [field, ...filterFields]);
  if (problem !== null) refuse(`In table "${table}": ${problem}`);
  if (new Set(filterFields).size > limits.filterFields) {
    refuse(`In table "${table}": Search indexes may have up to ${limits.filterFields} filter fields.`);
  }
}

function checkDimensions(table: string, dimensions: number): void {
  const { fewestDimensions, mostDimensions } = limits;
  if (Number.isInteger(dimensions) && dimensions >= fewestDimensions && dimensions <= mostDimensions) return;
  refuse(
    `In table "${table}": Dimensions ${dimensions} must be between ${fewestDimensions} and ${mostDimensions}.`,
  );
}

type Searched = { readonly name: string; readonly searched: string };

function named<Index extends Named>(searchedOf: (index: Index) => string): (index: Index) => Searched {
  return (index) => ({ name: index.indexDescriptor, searched: searchedOf(index) });
}

function checkDistinctSearch(table: string, kind: string, field: string, indexes: readonly Searched[]): void {
  const seen = new Map<string, string>();
  for (const { name, searched } of indexes) {
    const other = seen.get(searched);
    if (other !== undefined) {
      const [one, two] = [`${kind} index "${name}"`, `${kind} index "${other}"`];
      const title = kind === "search" ? "Search" : "Vector";
      refuse(
        `In table "${table}" ${one} and ${two} have the same \`${field}\`. ${title} index fields must be unique within a table. You should combine the indexes with the same \`${field}\` into one index containing all \`filterField\`s and then use different subsets of the \`filterField\`s at query time.`,
      );
    }
    seen.set(searched, name);
  }
}

function checkDistinct(table: string, indexes: readonly OrderedIndex[]): void {
  const seen = new Map<string, string>();
  for (const { indexDescriptor: name, fields } of indexes) {
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
