import { quotable } from "../../format/visible.ts";
import { recordOf } from "../../json.ts";
import type { JsonSchema } from "../grammar/schema-rules.ts";
import { isOfType } from "./overlap.ts";

export const schemaLimits = {
  /** Of the parsed schema's JSON. */
  characters: 32 * 1024,
  depth: 12,
  /** Nested schemas, including the outermost. */
  nodes: 500,
  /** Bounds lengths and counts, because the grammar that enforces the schema spells out each repetition. */
  repetitions: 500,
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

/** The values of `format` that can be enforced. */
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

/** The type that the keywords need, since they bound no other one. */
export const boundedBy: ReadonlyMap<string, string> = new Map([
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
  "strict", // OpenAI's own keyword.
]);

/** Whether a schema's type and lengths allow a constant. */
export function allowsConstant(
  { type, minLength, maxLength }: Readonly<Record<string, unknown>>,
  value: unknown,
): boolean {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (type !== undefined && !types.some((each) => isOfType(value, each))) return false;
  if (typeof value !== "string") return true;
  // JSON Schema counts code points. A bound that is no number counts for nothing.
  const length = Array.from(value).length;
  return !(length < Number(minLength ?? 0)) && !(length > Number(maxLength ?? Infinity));
}

/**
 * Returns a schema as the grammar can enforce it. Its keywords were parsed one by one. Throws Refusal if some exclude each
 * other, or would not be read beside others.
 */
export function enforceable(kept: JsonSchema, path: readonly string[]): JsonSchema {
  const says = ["type", "enum", "const", "oneOf", "$ref"].filter((keyword) => keyword in kept);
  if (says.length === 0) throw new Refusal(path, "needs a type, enum, const, anyOf or $ref");
  // The grammar considers only one of them.
  if (
    says.length > 1 &&
    !(says.length === 2 && says[0] === "type" && says[1] !== "$ref" && says[1] !== "oneOf")
  ) {
    throw new Refusal(path, `combines keywords that exclude each other: ${says.join(", ")}`);
  }
  for (const name of Array.isArray(kept["required"]) ? kept["required"].map(String) : []) {
    if (!Object.hasOwn(recordOf(kept["properties"]), name)) {
      throw new Refusal(
        [...path, "required"],
        `names ${JSON.stringify(quotable(name, 64))}, which properties does not define`,
      );
    }
  }
  for (const [least, most] of countBounds) {
    if (Number(kept[least] ?? 0) > Number(kept[most] ?? Infinity))
      throw new Refusal([...path, most], `is less than ${least}`);
  }
  refuseUnenforced(kept, path);
  if ("enum" in kept || "const" in kept) return constantsOnly(kept, path);
  if (kept["type"] === "object") return closedObject(kept, path);
  if (kept["type"] === "array") return checkedList(kept, path);
  return Array.isArray(kept["type"]) ? alternativesOf(kept) : kept;
}

/** Refuses keywords that the grammar would not read beside the others. */
function refuseUnenforced(kept: JsonSchema, path: readonly string[]): void {
  const isConstant = "enum" in kept || "const" in kept;
  for (const keyword of Object.keys(kept)) {
    const type = boundedBy.get(keyword);
    if (type === undefined) continue;
    const isOwn =
      kept["type"] === type ||
      (type === "string" && Array.isArray(kept["type"]) && kept["type"].includes(type));
    // The constants are filtered by their length.
    if (isConstant && (keyword === "minLength" || keyword === "maxLength")) continue;
    if (isConstant || !isOwn)
      throw new Refusal(
        [...path, keyword],
        `is only enforced beside the type ${type}, without enum and const`,
      );
    if ("format" in kept && keyword !== "format")
      throw new Refusal([...path, keyword], "cannot be combined with format");
  }
}

/** Drops the constants that the type or the length excludes, and then these keywords. */
function constantsOnly(given: JsonSchema, path: readonly string[]): JsonSchema {
  const { type: _, minLength: __, maxLength: ___, ...kept } = given;
  const keyword = "const" in kept ? "const" : "enum";
  const all = keyword === "const" ? [kept["const"]] : (kept["enum"] as readonly unknown[]);
  const allowed = all.filter((value) => allowsConstant(given, value));
  if (allowed.length === 0) throw new Refusal([...path, keyword], "has no value of the type and length");
  return keyword === "const" ? kept : { ...kept, enum: allowed };
}

/**
 * An answer has all named properties. A grammar cannot keep it from writing a name twice, and then the last value counts. So
 * there are no others beside named ones, and no more than one other is required.
 */
function closedObject(kept: JsonSchema, path: readonly string[]): JsonSchema {
  const named = Object.keys(recordOf(kept["properties"])).length;
  if (Number(kept["maxProperties"] ?? Infinity) < named)
    throw new Refusal(
      [...path, "maxProperties"],
      `is less than the ${String(named)} properties, which are all required`,
    );
  const others = kept["additionalProperties"] ?? !("properties" in kept);
  const most = named > 0 || others === false ? named : 1;
  if (Number(kept["minProperties"] ?? 0) > most)
    throw new Refusal(
      [...path, "minProperties"],
      `can be at most ${String(most)}: more properties cannot be enforced`,
    );
  return named > 0 && others !== false
    ? { ...kept, additionalProperties: false }
    : {
        ...kept,
        ...("properties" in kept || "additionalProperties" in kept ? {} : { additionalProperties: true }),
      };
}

/** An answer has all `prefixItems`. */
function checkedList(kept: JsonSchema, path: readonly string[]): JsonSchema {
  const first = Array.isArray(kept["prefixItems"]) ? kept["prefixItems"].length : 0;
  if (Number(kept["maxItems"] ?? Infinity) < first)
    throw new Refusal(
      [...path, "maxItems"],
      `is less than the ${String(first)} prefixItems, which are all required`,
    );
  return kept;
}

/** The grammar bounds a text only if that is the only type. */
function alternativesOf({ type, ...kept }: JsonSchema): JsonSchema {
  const types = type as readonly string[];
  const { description, $defs, ...bounded } = kept;
  if (Object.keys(bounded).length === 0) return { type, ...kept };
  const oneOf = types.map((each) => (each === "string" ? { type: each, ...bounded } : { type: each }));
  return {
    ...(description === undefined ? {} : { description }),
    ...($defs === undefined ? {} : { $defs }),
    oneOf,
  };
}
