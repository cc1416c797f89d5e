import type { DocumentJson, Engine } from "../../engine/model/types.ts";
import { type ComponentPath, engineTableName, localTableOf } from "../../names/table-name.ts";
import type { IndexDefinition, TableDefinition } from "../../values/keys/index-fields.ts";
import { fullRange } from "../../values/keys/index-range.ts";
import { searchIndexFields } from "../../values/keys/search-definition.ts";
import { checkValue } from "./check-value.ts";
import { checkDefinitions, checkDocumentType, stagedIndexes, type TableShape } from "./schema-limits.ts";
import type { TableOf, ValidatorJson } from "./validator-json.ts";

/** The definitions in the bundle's `schema.ts`. */
export type Schema = {
  readonly tables: readonly TableDefinition[];
  /** Validators of the documents by table, without the system fields. A table without a validator is not checked. */
  readonly validators: ReadonlyMap<string, ValidatorJson>;
  /** Validators to be, which `.staged()` declares, by table. Writes are not refused by them. */
  readonly stagedValidators: ReadonlyMap<string, ValidatorJson>;
  /** The indexes that are declared, but not to be used yet, as "table.index". */
  readonly staged: ReadonlySet<string>;
};

type ExportedTable = TableShape & {
  readonly documentType: ValidatorJson;
  readonly stagedDocumentType?: ValidatorJson;
};
type ExportedSchema = { readonly tables: readonly ExportedTable[]; readonly schemaValidation: boolean };

export const noSchema: Schema = {
  tables: [],
  validators: new Map(),
  stagedValidators: new Map(),
  staged: new Set(),
};

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
  for (const { documentType, stagedDocumentType } of tables) {
    checkDocumentType(documentType);
    if (stagedDocumentType !== undefined) checkDocumentType(stagedDocumentType);
  }
  return {
    tables: tables.map((table) => ({ name: table.tableName, indexes: indexesOf(table) })),
    validators: new Map(
      schemaValidation
        ? tables.map(({ tableName, documentType }) => [tableName, ofOwnFields(documentType)])
        : [],
    ),
    stagedValidators: new Map(
      tables.flatMap(({ tableName, stagedDocumentType: staged }) =>
        staged === undefined ? [] : [[tableName, ofOwnFields(staged)]],
      ),
    ),
    staged: new Set(
      tables.flatMap((table) =>
        stagedIndexes(table).map((index) => `${table.tableName}.${index.indexDescriptor}`),
      ),
    ),
  };
}

/** Convex ignores system fields that a table's validator names. All documents have them. */
function ofOwnFields(validator: ValidatorJson): ValidatorJson {
  if (validator.type === "union") return { type: "union", value: validator.value.map(ofOwnFields) };
  if (validator.type !== "object") return validator;
  const { _id, _creationTime, ...value } = validator.value;
  return { type: "object", value };
}

/** Returns Convex's message for a document that may not be written; null if it may. */
export function checkNewDocument(
  schema: Schema,
  table: string,
  value: DocumentJson,
  tableOf: TableOf,
): string | null {
  const validator = schema.validators.get(table);
  const problem = validator === undefined ? null : checkValue(validator, withoutSystemFields(value), tableOf);
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
  for (const table of tables) {
    const misfit = findMisfit(engine, component, table, schema.validators.get(table));
    if (misfit === null) continue;
    throw new SchemaMismatchError(`Schema validation failed.\n${misfit.message}`, misfit.table, misfit.field);
  }
}

/** The first stored document of a table that does not fit a validator; null if all fit. */
export function findMisfit(
  engine: Pick<Engine, "begin" | "definitionOf" | "discard">,
  component: ComponentPath,
  table: string,
  validator: ValidatorJson | undefined,
): { readonly message: string; readonly table: string; readonly field: string | null } | null {
  const stored = engineTableName({ component, table });
  if (validator === undefined || engine.definitionOf(stored) === null) return null;
  const transaction = engine.begin();
  try {
    const tableOf: TableOf = (id) => localTableOf(transaction, component, id);
    const scan = transaction.scan(fullRange(stored, "by_id"), "asc");
    for (let entry = scan.next(); entry !== null; entry = scan.next()) {
      const { document } = entry;
      const fields = withoutSystemFields(document);
      const problem = checkValue(validator, fields, tableOf);
      if (problem === null) continue;
      return {
        message: `Document with ID "${document["_id"] as string}" in table "${stored}" does not match the schema: ${problem}`,
        table: stored,
        field: misfitField(validator, fields, tableOf),
      };
    }
    return null;
  } finally {
    engine.discard(transaction);
  }
}

/** Returns a document's fields without `_id` and `_creationTime`. */
export function withoutSystemFields(document: DocumentJson): DocumentJson {
  const { _id, _creationTime, ...fields } = document;
  return fields;
}

/** The first field that does not fit. Null if the validator is no object. */
function misfitField(validator: ValidatorJson, fields: DocumentJson, tableOf: TableOf): string | null {
  if (validator.type !== "object") return null;
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
