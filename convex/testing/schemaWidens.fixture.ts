/** A validator as `export()` writes it, with the fields that are compared here. */
type Json =
  | { readonly type: "any" | "null" | "number" | "bigint" | "boolean" | "string" | "bytes" }
  | { readonly type: "literal"; readonly value: unknown }
  | { readonly type: "id"; readonly tableName: string }
  | { readonly type: "array"; readonly value: Json }
  | { readonly type: "union"; readonly value: readonly Json[] }
  | { readonly type: "record"; readonly keys: Json; readonly values: Field }
  | { readonly type: "object"; readonly value: Readonly<Record<string, Field>> };
type Field = { readonly fieldType: Json; readonly optional: boolean };

export type ExportedSchema = {
  readonly tables: readonly {
    readonly tableName: string;
    readonly documentType: Json;
    readonly indexes: readonly { readonly indexDescriptor: string; readonly fields: readonly string[] }[];
  }[];
};

/**
 * The places where documents that fit `before` may not fit `after`, e.g. "devices.groups: required now". If the list is
 * empty, all stored data still opens. The comparison is stricter than Convex's own check.
 */
export function narrowed(before: ExportedSchema, after: ExportedSchema): readonly string[] {
  return before.tables.flatMap(({ tableName, documentType }) => {
    const now = after.tables.find((table) => table.tableName === tableName);
    // A removed table keeps its documents, and nobody checks them.
    return now === undefined ? [] : compare(tableName, documentType, now.documentType);
  });
}

function compare(at: string, before: Json, after: Json): readonly string[] {
  if (after.type === "any") return [];
  if (before.type === "union") return before.value.flatMap((member) => compare(at, member, after));
  if (after.type === "union") {
    const fits = after.value.some((member) => compare(at, before, member).length === 0);
    return fits ? [] : [`${at}: ${describe(before)} does not fit anymore`];
  }
  if (before.type === "literal" && after.type === typeOf(before.value)) return [];
  if (before.type === "id" && after.type === "string") return [];
  if (before.type === "array" && after.type === "array") return compare(`${at}[]`, before.value, after.value);
  if (before.type === "record" && after.type === "record") {
    return [
      ...compare(`${at} key`, before.keys, after.keys),
      ...compare(`${at}{}`, before.values.fieldType, after.values.fieldType),
    ];
  }
  if (before.type === "object" && after.type === "object")
    return compareFields(at, before.value, after.value);
  return describe(before) === describe(after) ? [] : [`${at}: ${describe(before)} does not fit anymore`];
}

function compareFields(
  at: string,
  before: Readonly<Record<string, Field>>,
  after: Readonly<Record<string, Field>>,
): readonly string[] {
  const kept = Object.entries(before).flatMap(([name, field]) => {
    const now = after[name];
    if (now === undefined) return [`${at}.${name}: gone`];
    if (field.optional && !now.optional) return [`${at}.${name}: required now`];
    return compare(`${at}.${name}`, field.fieldType, now.fieldType);
  });
  const added = Object.entries(after).flatMap(([name, { optional }]) =>
    name in before || optional ? [] : [`${at}.${name}: required now`],
  );
  return [...kept, ...added];
}

function typeOf(value: unknown): string {
  return typeof value;
}

function describe(json: Json): string {
  return JSON.stringify(json);
}
