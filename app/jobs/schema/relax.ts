import { isRecord, recordOf } from "../../json.ts";
import { boundedBy, formats, schemaLimits, supported } from "./keywords.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Any JSON value. A text comes first, since models mostly write one. */
const anything: Schema = {
  anyOf: [{ type: ["string", "number", "boolean", "null"] }, { type: "object" }, { type: "array" }],
};

/** Deeper schemas allow anything. */
const deepest = schemaLimits.depth - 2;

/** A note is for a model to read, so it is short. */
const longestNote = 200;

/**
 * Turns the schema of a tool that is not strict into one that can be enforced. Such a tool promises nothing about its
 * arguments, so a keyword that cannot be enforced only becomes words in the description, for the model to read.
 */
export function relaxed(value: unknown): Schema {
  const schema = relax(value, 1);
  // Arguments are always an object.
  return isOfObjects(schema) ? schema : anyObject;
}

/** A reference may be one to something else. The model then writes what its author asked for. */
function isOfObjects({ type, anyOf, $ref }: Schema): boolean {
  if (Array.isArray(anyOf)) return anyOf.every((each) => isRecord(each) && isOfObjects(each));
  return type === "object" || $ref !== undefined;
}

/** For a schema that cannot be enforced at all. */
export const anyObject: Schema = { type: "object" };

function relax(value: unknown, depth: number): Schema {
  if (!isRecord(value) || depth > deepest) return anything;
  const schema = withType(merged(value));
  const types = Array.isArray(schema["type"]) ? schema["type"] : null;
  if (types?.some((type) => type === "object" || type === "array") === true) {
    const { type: _, description, $defs, definitions, ...rest } = schema;
    const told = given({ description, $defs, definitions });
    return relax({ ...told, anyOf: types.map((type: unknown) => ({ ...rest, type })) }, depth);
  }
  const kept: Record<string, unknown> = {};
  const notes: string[] = [];
  for (const [keyword, each] of Object.entries(schema)) {
    const part = partOf(keyword, each, schema, depth);
    if (part === undefined) notes.push(...noteOf(keyword, each));
    else kept[keyword === "oneOf" ? "anyOf" : keyword] = part;
  }
  const described = notes.length === 0 ? {} : { description: joined(kept["description"], notes) };
  return { ...(saysWhat(kept) ? {} : anything), ...kept, ...described };
}

/** The keyword's value as it can be enforced. Undefined: not at all. */
function partOf(keyword: string, value: unknown, schema: Schema, depth: number): unknown {
  if (!supported.has(keyword)) return undefined;
  const type = boundedBy[keyword];
  const isConstant = "enum" in schema || "const" in schema;
  if (type !== undefined && (schema["type"] !== type || isConstant)) return undefined;
  switch (keyword) {
    case "$defs":
    case "definitions":
      return depth === 1 && isRecord(value) ? mapped(value, depth) : undefined;
    case "properties":
      return isRecord(value) ? mapped(value, depth) : undefined;
    case "items":
      return isRecord(value) ? relax(value, depth + 1) : undefined;
    case "additionalProperties":
      return isRecord(value) ? relax(value, depth + 1) : value === false ? false : undefined;
    case "anyOf":
    case "oneOf":
    case "prefixItems":
      return relaxedList(value, depth);
    case "required":
      return namesIn(value, schema["properties"]);
    case "$ref":
      return typeof value === "string" && /^#\/(?:\$defs|definitions)\/[^/~%]+$/.test(value)
        ? value
        : undefined;
    case "format":
      return typeof value === "string" && formats.has(value) ? value : undefined;
    case "minLength":
    case "maxLength":
    case "minItems":
    case "maxItems":
      return typeof value === "number" && value <= schemaLimits.repetitions && !("format" in schema)
        ? value
        : undefined;
    // An answer has all properties and no others, whatever these say.
    case "minProperties":
    case "maxProperties":
      return undefined;
    default:
      return value;
  }
}

function relaxedList(value: unknown, depth: number): readonly Schema[] | undefined {
  const all: readonly unknown[] = Array.isArray(value) ? value : [];
  return all.length === 0 ? undefined : all.map((each) => relax(each, depth + 1));
}

function mapped(schemas: Schema, depth: number): Schema {
  return Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, relax(each, depth + 1)]));
}

function namesIn(value: unknown, properties: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const names: readonly unknown[] = value;
  return names.filter(
    (name) => typeof name === "string" && isRecord(properties) && Object.hasOwn(properties, name),
  );
}

/** Joins `allOf` with the schema around it: a single part, or objects whose properties are at hand. */
function merged(schema: Schema): Schema {
  const { allOf, ...own } = schema;
  if (!Array.isArray(allOf)) return schema;
  const parts = [own, ...allOf.filter(isRecord)];
  const saying = parts.filter(saysWhat);
  if (saying.length <= 1) return joinedFields(parts);
  if (!saying.every((part) => part["type"] === "object" && !("$ref" in part))) return own;
  const properties = joinedFields(parts.map((part) => recordOf(part["properties"])));
  return { ...joinedFields(parts), properties };
}

/** The later of two equal fields counts. */
function joinedFields(parts: readonly Schema[]): Schema {
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part)));
}

/** Whether a schema says which values it allows, and not only how long or how many they are. */
function saysWhat(schema: Schema): boolean {
  return ["type", "enum", "const", "anyOf", "oneOf", "$ref"].some((keyword) => keyword in schema);
}

/** Adds the type that a schema's keywords mean. */
function withType(schema: Schema): Schema {
  if (saysWhat(schema)) return schema;
  const meant = Object.keys(schema).flatMap((keyword) => boundedBy[keyword] ?? []);
  const [type] = meant;
  return type === undefined ? schema : { type, ...schema };
}

/** The keyword in words, if it is short. */
function noteOf(keyword: string, value: unknown): readonly string[] {
  if (silent.has(keyword)) return [];
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return [];
  // Zod writes such bounds for each integer.
  if (typeof value === "number" && Math.abs(value) === Number.MAX_SAFE_INTEGER) return [];
  const note = `${keyword}: ${String(value)}`;
  return note.length <= longestNote ? [note] : [];
}

/** They tell a model nothing. */
const silent = new Set([
  "title",
  "$schema",
  "$id",
  "$comment",
  "strict",
  "deprecated",
  "readOnly",
  "writeOnly",
  "$ref",
]);

function joined(description: unknown, notes: readonly string[]): string {
  const said = `(${notes.join("; ")})`;
  return typeof description === "string" && description !== "" ? `${description} ${said}` : said;
}

function given(fields: Schema): Schema {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
