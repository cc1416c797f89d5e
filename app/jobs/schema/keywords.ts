import type { JsonSchema } from "../grammar/schema-rules.ts";
import { isOfType } from "./overlap.ts";

export const schemaLimits = {
  /** Of the parsed schema's JSON. */
  characters: 32 * 1024,
  depth: 12,
  /** Nested schemas, including the outermost. */
  nodes: 500,
  /** Values of an `enum`: the names of all time zones are 600. OpenAI takes as many. */
  constants: 1_000,
  /** Of lengths and counts that a grammar enforces, because it spells out each repetition. */
  repetitions: 500,
  /** Of lengths and counts that only the finished answer is checked against. */
  counts: 1_000_000,
  patternChars: 1_000,
  /** Integers of a range that a grammar lists. */
  listedIntegers: 100,
} as const;

/** JSON's types, as schemas name them. */
export const types: ReadonlySet<string> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "null",
  "object",
  "array",
]);

/** The values of `format` that the library's grammar enforces. */
export const formats: ReadonlySet<string> = new Set(["date-time", "time", "date"]);

/** Why a schema cannot be enforced, and where. */
export class Refusal extends Error {
  readonly path: readonly string[];
  constructor(path: readonly string[], reason: string) {
    super(reason);
    this.path = path;
  }
}

/** Pairs of bounds. The first may not be above the second. */
export const countBounds = [
  ["minLength", "maxLength"],
  ["minItems", "maxItems"],
  ["minProperties", "maxProperties"],
] as const;

/** Keywords that bound numbers. */
export const numberBounds: ReadonlySet<string> = new Set([
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
]);

/** The type that the keywords need, since they bound no other one. Those of numbers bound integers, too. */
export const boundedBy: ReadonlyMap<string, string> = new Map([
  ...[...numberBounds].map((keyword) => [keyword, "number"] as const),
  ["pattern", "string"],
  ["uniqueItems", "array"],
  ["minLength", "string"],
  ["maxLength", "string"],
  ["format", "string"],
  ["properties", "object"],
  ["required", "object"],
  ["additionalProperties", "object"],
  ["minProperties", "object"],
  ["maxProperties", "object"],
  ["items", "array"],
  ["prefixItems", "array"],
  ["minItems", "array"],
  ["maxItems", "array"],
]);

/** Keywords that do not constrain the value. They are dropped. */
export const annotations: ReadonlySet<string> = new Set([
  "title",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "$schema",
  "$id",
  "$comment",
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
  "strict", // OpenAI's own keyword.
  "discriminator", // OpenAPI's, beside alternatives that say the same.
]);

/** Whether a keyword does not constrain the value. Names that begin with `x-` are everybody's own. */
export function isAnnotation(keyword: string): boolean {
  return annotations.has(keyword) || keyword.startsWith("x-");
}

/** Whether a keyword bounds no type, or one of these. */
export function boundsOneOf(keyword: string, types: readonly unknown[]): boolean {
  const owner = boundedBy.get(keyword);
  return owner === undefined || types.includes(owner) || (owner === "number" && types.includes("integer"));
}

/** Whether a schema says which values it allows, and not only how long or how many they are. */
export function saysWhat(schema: JsonSchema): boolean {
  return ["type", "enum", "const", "anyOf", "oneOf", "$ref"].some((keyword) =>
    Object.hasOwn(schema, keyword),
  );
}

/** The type that a schema's keywords mean. Undefined if they mean none. */
export function meantType(schema: JsonSchema): string | undefined {
  for (const keyword of Object.keys(schema)) {
    const type = boundedBy.get(keyword);
    if (type !== undefined) return type;
  }
  return undefined;
}

/** Whether a schema's type, lengths and bounds allow a constant. */
export function allowsConstant(schema: JsonSchema, value: unknown): boolean {
  const { type, minLength, maxLength } = schema;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (type !== undefined && !types.some((each) => isOfType(value, each))) return false;
  if (typeof value === "number") return isWithin(schema, value);
  if (typeof value !== "string") return true;
  // JSON Schema counts code points. A bound that is no number counts for nothing.
  const length = Array.from(value).length;
  return !(length < Number(minLength ?? 0)) && !(length > Number(maxLength ?? Infinity));
}

/** Whether a number is within a schema's bounds. A bound that is no number counts for nothing. */
export function isWithin(schema: JsonSchema, value: number): boolean {
  const bound = (keyword: string): number => {
    const given = schema[keyword];
    return typeof given === "number" ? given : NaN;
  };
  const step = bound("multipleOf");
  return (
    !(value < bound("minimum")) &&
    !(value > bound("maximum")) &&
    !(value <= bound("exclusiveMinimum")) &&
    !(value >= bound("exclusiveMaximum")) &&
    !(step > 0 && !isMultiple(value / step))
  );
}

/** 19.99 is a multiple of 0.01, though not to the last bit. */
function isMultiple(quotient: number): boolean {
  return Math.abs(Math.round(quotient) - quotient) <= 4 * Number.EPSILON * Math.abs(quotient);
}
