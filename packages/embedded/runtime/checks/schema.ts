import type { DocumentJson, Engine } from "../../engine/model/types.ts";
import { type ComponentPath, engineTableName, localTableOf } from "../../names/table-name.ts";
import type { IndexDefinition, TableDefinition } from "../../values/keys/index-fields.ts";
import { fullRange } from "../../values/keys/index-range.ts";
import { searchIndexFields } from "../../values/keys/search-definition.ts";
import { checkValue } from "./check-value.ts";
import { checkDefinitions, stagedIndexes, type TableShape } from "./schema-limits.ts";
import type { TableOf, ValidatorJson } from "./validator-json.ts";

/** The definitions in the bundle's `schema.ts`. */
export type Schema = {
  readonly tables: readonly TableDefinition[];
  /** Validators of the documents by table, without the system fields. A table without a validator is not checked. */
  readonly validators: ReadonlyMap<string, ValidatorJson>;
  /** The indexes that are declared, but not to be used yet, as "table.index". */
  readonly staged: ReadonlySet<string>;
};

type ExportedTable = TableShape & { readonly documentType: ValidatorJson };
type ExportedSchema = { readonly tables: readonly ExportedTable[]; readonly schemaValidation: boolean };

export const noSchema: Schema = { tables: [], validators: new Map(), staged: new Set() };

/** Stored documents do not fit the schema that is about to be applied. */
export class SchemaMismatchError extends Error {
  override readonly name = "SchemaMismatchError";
  readonly misfit: { readonly table: string; readonly field: string | null };

  constructor(message: string, table: string, field: string | null) {
    super(message);
    this.misfit = { table, field };
  }
}

/** Reads the JSON that a SchemaDefinition's `export()` gives. Throws SchemaDefinitionError. */
export function parseSchema(exported: string): Schema {
  const { tables, schemaValidation } = JSON.parse(exported) as ExportedSchema;
  checkDefinitions(tables);
  return {
    tables: tables.map((table) => ({ name: table.tableName, indexes: indexesOf(table) })),
    validators: new Map(
      schemaValidation ? tables.map(({ tableName, documentType }) => [tableName, documentType]) : [],
    ),
    staged: new Set(
      tables.flatMap((table) =>
        stagedIndexes(table).map((index) => `${table.tableName}.${index.indexDescriptor}`),
      ),
    ),
  };
}

/** Returns Convex's message for a document that may not be written; null if it may. */
export function checkNewDocument(
  schema: Schema,
  table: string,
  value: DocumentJson,
  tableOf: TableOf,
): string | null {
  const problem = checkDocument(schema, table, value, tableOf);
  if (problem === null) return null;
  return `Failed to insert or update a document in table "${table}" because it does not match the schema: ${problem}`;
}

/**
 * Checks the stored documents of a component's tables against its schema. Throws SchemaMismatchError at the
 * first mismatch.
 */
export function checkStoredDocuments(
  engine: Engine,
  schema: Schema,
  component: ComponentPath,
  tables: Iterable<string>,
): void {
  const transaction = engine.begin();
  try {
    for (const table of tables) {
      const stored = engineTableName({ component, table });
      if (engine.definitionOf(stored) === null) continue;
      const scan = transaction.scan(fullRange(stored, "by_id"), "asc");
      for (let entry = scan.next(); entry !== null; entry = scan.next()) {
        const { document } = entry;
        const tableOf: TableOf = (id) => localTableOf(transaction, component, id);
        const problem = checkDocument(schema, table, document, tableOf);
        if (problem === null) continue;
        throw new SchemaMismatchError(
          `Schema validation failed.\nDocument with ID "${document["_id"] as string}" in table "${stored}" does not match the schema: ${problem}`,
          stored,
          misfitField(schema.validators.get(table), withoutSystemFields(document), tableOf),
        );
      }
    }
  } finally {
    engine.discard(transaction);
  }
}

/** Returns a document's fields without `_id` and `_creationTime`. */
export function withoutSystemFields(document: DocumentJson): DocumentJson {
  const { _id, _creationTime, ...fields } = document;
  return fields;
}

function checkDocument(
  { validators }: Schema,
  table: string,
  document: DocumentJson,
  tableOf: TableOf,
): string | null {
  const validator = validators.get(table);
  if (validator === undefined) return null;
  return checkValue(validator, withoutSystemFields(document), tableOf);
}

/** The first field that does not fit. Null if the validator is no object. */
function misfitField(
  validator: ValidatorJson | undefined,
  fields: DocumentJson,
  tableOf: TableOf,
): string | null {
  if (validator?.type !== "object") return null;
  const fits = (name: string): boolean => {
    const [rule, value] = [validator.value[name], fields[name]];
    if (rule === undefined || value === undefined) return rule?.optional === true;
    return checkValue(rule.fieldType, value, tableOf) === null;
  };
  const names = Object.keys({ ...validator.value, ...fields });
  return names.sort().find((name) => !fits(name)) ?? null;
}

function indexesOf({ indexes, searchIndexes = [], vectorIndexes = [] }: TableShape): IndexDefinition[] {
  return [
    ...indexes.map(({ indexDescriptor, fields }) => ({ name: indexDescriptor, fields })),
    ...searchIndexes.map(({ indexDescriptor, searchField, filterFields }) => ({
      name: indexDescriptor,
      fields: searchIndexFields({ kind: "text", searchField, filterFields }),
    })),
    ...vectorIndexes.map(({ indexDescriptor, vectorField, dimensions, filterFields }) => ({
      name: indexDescriptor,
      fields: searchIndexFields({ kind: "vector", vectorField, dimensions, filterFields }),
    })),
  ];
}
