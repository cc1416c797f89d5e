import { quotable } from "../format/visible.ts";
import { isRecord } from "../json.ts";
import { costMistake } from "./grammar/cost.ts";
import { type JsonSchema, schemaRules } from "./grammar/schema-rules.ts";
import { isOfType, mayOverlap } from "./schema-overlap.ts";

/**
 * A JSON schema that llama.cpp can enforce, or the reason why it cannot. `path` is a path within the schema, such as
 * "properties.a".
 */
type SchemaParse =
  | { readonly kind: "ok"; readonly schema: JsonSchema }
  | { readonly kind: "refused"; readonly path: string; readonly reason: string };

export const schemaLimits = {
  /** UTF-8 bytes of the schema's JSON. */
  bytes: 32 * 1024,
  depth: 12,
  /** Nested schemas, including the outermost. */
  nodes: 500,
  /** Bounds lengths and counts, because the grammar that enforces the schema spells out each repetition. */
  repetitions: 500,
} as const;

/** Keywords that do not constrain the value. They are dropped. */
const annotations = new Set([
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
const types = new Set(["string", "number", "integer", "boolean", "null", "object", "array"]);
const formats = new Set(["date-time", "time", "date"]);
const bounds = [
  ["minLength", "maxLength"],
  ["minItems", "maxItems"],
  ["minProperties", "maxProperties"],
] as const;
const counts = new Set<string>(bounds.flat());

class Refusal extends Error {
  readonly path: readonly string[];
  constructor(path: readonly string[], reason: string) {
    super(reason);
    this.path = path;
  }
}

/** The type that the keywords need, since they bound no other one. */
const ownType: Readonly<Record<string, string>> = {
  minLength: "string",
  maxLength: "string",
  format: "string",
  properties: "object",
  required: "object",
  additionalProperties: "object",
  minProperties: "object",
  maxProperties: "object",
  items: "array",
  prefixItems: "array",
  minItems: "array",
  maxItems: "array",
};

/**
 * Parses and bounds a schema. Refuses keywords that would not be enforced or that exclude each other, and treats `anyOf` as
 * `oneOf`. Requires all properties, whatever `required` leaves out. Allows others only beside no properties, and only if
 * `additionalProperties` does. An answer that satisfies these stricter rules satisfies the schema, too.
 */
export function parseSchema(value: unknown): SchemaParse {
  return orRefused(() => {
    const walk = new Walk();
    const schema = walk.schema(value, [], 1);
    const definitions = recordOf(schema["$defs"]);
    for (const { path, alternatives } of walk.exclusive) {
      if (mayOverlap(alternatives, definitions))
        throw new Refusal(path, "has alternatives that one value may match together. Use anyOf");
    }
    return parseKeptSchema(schema);
  });
}

/** Parses a schema that `parseSchema` has made. Its `oneOf` may have been an `anyOf`, so alternatives may overlap. */
export function parseKeptSchema(value: unknown): SchemaParse {
  return orRefused(() => {
    const walk = new Walk();
    const schema = walk.schema(value, [], 1);
    for (const { path, name } of walk.references) {
      if (!walk.definitions.has(name)) throw new Refusal(path, "refers to a name that $defs does not define");
    }
    const mistake = costMistake(schemaRules(schema), "schema");
    if (mistake !== null) throw new Refusal([], `cannot be enforced: ${mistake}`);
    return { kind: "ok", schema };
  });
}

function orRefused(parse: () => SchemaParse): SchemaParse {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Refusal) {
      return { kind: "refused", path: error.path.join("."), reason: error.message };
    }
    throw error;
  }
}

class Walk {
  readonly references: { readonly path: readonly string[]; readonly name: string }[] = [];
  readonly definitions = new Set<string>();
  /** The alternatives of each `oneOf`, of which a value has to match exactly one. */
  readonly exclusive: { readonly path: readonly string[]; readonly alternatives: readonly JsonSchema[] }[] =
    [];
  #nodes = 0;

  schema(value: unknown, path: readonly string[], depth: number): JsonSchema {
    if (!isRecord(value)) throw new Refusal(path, "has to be an object");
    if (depth > schemaLimits.depth) throw new Refusal(path, `is deeper than ${schemaLimits.depth} levels`);
    if (++this.#nodes > schemaLimits.nodes) {
      throw new Refusal(path, `is one of more than ${schemaLimits.nodes} schemas`);
    }
    const kept: Record<string, unknown> & {
      required?: readonly string[];
      properties?: JsonSchema;
    } = {};
    for (const [keyword, given] of Object.entries(value)) {
      if (annotations.has(keyword)) continue;
      const [name, parsed] = this.#keyword(keyword, given, [...path, keyword], depth);
      if (name in kept) throw new Refusal([...path, keyword], `says the same as another keyword: ${name}`);
      kept[name] = parsed;
    }
    const says = ["type", "enum", "const", "oneOf", "$ref"].filter((keyword) => keyword in kept);
    if (says.length === 0) throw new Refusal(path, "needs a type, enum, const, anyOf or $ref");
    // The grammar considers only one of them.
    if (
      says.length > 1 &&
      !(says.length === 2 && says[0] === "type" && says[1] !== "$ref" && says[1] !== "oneOf")
    ) {
      throw new Refusal(path, `combines keywords that exclude each other: ${says.join(", ")}`);
    }
    for (const name of kept["required"] ?? []) {
      if (!Object.hasOwn(kept["properties"] ?? {}, name)) {
        throw new Refusal(
          [...path, "required"],
          `names ${JSON.stringify(quotable(name, 64))}, which properties does not define`,
        );
      }
    }
    for (const [least, most] of bounds) {
      if (Number(kept[least] ?? 0) > Number(kept[most] ?? Infinity))
        throw new Refusal([...path, most], `is less than ${least}`);
    }
    refuseUnenforced(kept, path);
    if (says.length === 2) return withoutType(kept, path);
    if (kept["type"] === "object") return closedObject(kept, path);
    if (kept["type"] === "array") return boundedList(kept, path);
    return Array.isArray(kept["type"]) ? alternativesOf(kept) : kept;
  }

  #keyword(
    keyword: string,
    given: unknown,
    path: readonly string[],
    depth: number,
  ): readonly [string, unknown] {
    if (counts.has(keyword)) return [keyword, count(given, path)];
    switch (keyword) {
      case "description":
        return [keyword, text(given, path)];
      case "type":
        return [keyword, this.#type(given, path)];
      case "format":
        if (typeof given === "string" && formats.has(given)) return [keyword, given];
        throw new Refusal(path, `can only be ${[...formats].join(", ")}`);
      case "enum":
        return [keyword, list(given, path).map((each) => constant(each, path))];
      case "const":
        return [keyword, constant(given, path)];
      case "items":
        return [keyword, this.schema(given, path, depth + 1)];
      case "additionalProperties":
        return [keyword, typeof given === "boolean" ? given : this.schema(given, path, depth + 1)];
      case "properties":
        return [keyword, this.#map(given, path, depth)];
      case "$defs":
      case "definitions":
        if (depth > 1) throw new Refusal(path, "is only allowed at the top level");
        for (const name of Object.keys(isRecord(given) ? given : {})) this.definitions.add(name);
        return ["$defs", this.#map(given, path, depth)];
      case "required":
        return [keyword, names(given, path)];
      case "prefixItems":
        return [keyword, this.#schemas(given, path, depth)];
      case "anyOf":
        return ["oneOf", this.#schemas(given, path, depth)];
      case "oneOf": {
        const alternatives = this.#schemas(given, path, depth);
        this.exclusive.push({ path, alternatives });
        return [keyword, alternatives];
      }
      case "$ref":
        return [keyword, this.#reference(given, path)];
      default:
        throw new Refusal(path, "is not supported");
    }
  }

  #type(given: unknown, path: readonly string[]): unknown {
    if (typeof given === "string" && types.has(given)) return given;
    const all = list(given, path);
    if (
      all.every(
        (each) => typeof each === "string" && types.has(each) && each !== "object" && each !== "array",
      )
    ) {
      return all;
    }
    throw new Refusal(path, "has to be a JSON type, or a list of JSON types without object and array");
  }

  #map(given: unknown, path: readonly string[], depth: number): JsonSchema {
    if (!isRecord(given)) throw new Refusal(path, "has to be an object");
    const entries = Object.entries(given);
    return Object.fromEntries(
      entries.map(([name, each]) => [writable(name, path), this.schema(each, [...path, name], depth + 1)]),
    );
  }

  #schemas(given: unknown, path: readonly string[], depth: number): readonly JsonSchema[] {
    return list(given, path).map((each, index) => this.schema(each, [...path, String(index)], depth + 1));
  }

  #reference(given: unknown, path: readonly string[]): string {
    const name = /^#\/(?:\$defs|definitions)\/([^/~%]+)$/.exec(text(given, path))?.[1];
    if (name === undefined) throw new Refusal(path, 'has to be like "#/$defs/name"');
    this.references.push({ path, name });
    return `#/$defs/${name}`;
  }
}

/** Refuses keywords that the grammar would not read beside the others. */
function refuseUnenforced(kept: JsonSchema, path: readonly string[]): void {
  const isConstant = "enum" in kept || "const" in kept;
  for (const keyword of Object.keys(kept)) {
    const type = ownType[keyword];
    if (type === undefined) continue;
    const isOwn =
      kept["type"] === type ||
      (type === "string" && Array.isArray(kept["type"]) && kept["type"].includes(type));
    if (isConstant || !isOwn)
      throw new Refusal(
        [...path, keyword],
        `is only enforced beside the type ${type}, without enum and const`,
      );
    if ("format" in kept && keyword !== "format")
      throw new Refusal([...path, keyword], "cannot be combined with format");
  }
}

/** Drops the constants that are not of the schema's type, and the type. */
function withoutType({ type, ...kept }: JsonSchema, path: readonly string[]): JsonSchema {
  const all: readonly unknown[] = Array.isArray(type) ? type : [type];
  const isAllowed = (value: unknown): boolean => all.some((each) => isOfType(value, each));
  const keyword = "const" in kept ? "const" : "enum";
  const allowed = (keyword === "const" ? [kept["const"]] : (kept["enum"] as readonly unknown[])).filter(
    isAllowed,
  );
  if (allowed.length === 0) throw new Refusal([...path, keyword], "has no value of the type");
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
function boundedList(kept: JsonSchema, path: readonly string[]): JsonSchema {
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

function recordOf(value: unknown): JsonSchema {
  return isRecord(value) ? value : {};
}

function list(value: unknown, path: readonly string[]): readonly unknown[] {
  if (Array.isArray(value) && value.length > 0 && value.length <= schemaLimits.nodes) return value;
  throw new Refusal(path, `has to be a list of 1 to ${schemaLimits.nodes} items`);
}

/** Schemas without required properties often say so with an empty list. */
function names(value: unknown, path: readonly string[]): readonly string[] {
  if (Array.isArray(value) && value.length === 0) return [];
  return list(value, path).map((each) => text(each, path));
}

function text(value: unknown, path: readonly string[]): string {
  if (typeof value === "string") return wellFormed(value, path);
  throw new Refusal(path, "has to be text");
}

/** node-llama-cpp escapes no other control characters, so the answer would be no JSON. */
function writable(value: string, path: readonly string[]): string {
  if (/\p{Cc}/u.test(value.replace(/[\t\n\r\u007f-\u009f]/g, ""))) {
    throw new Refusal(path, "has a control character other than a tab or a line break");
  }
  return wellFormed(value, path);
}

function wellFormed(value: string, path: readonly string[]): string {
  if (/\p{Surrogate}/u.test(value)) throw new Refusal(path, "has to be well-formed Unicode");
  return value;
}

function count(value: unknown, path: readonly string[]): number {
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= schemaLimits.repetitions)
    return Number(value);
  throw new Refusal(path, `has to be a whole number from 0 to ${schemaLimits.repetitions}`);
}

function constant(value: unknown, path: readonly string[]): string | number | boolean | null {
  if (value === null || typeof value === "boolean" || Number.isFinite(value))
    return value as boolean | number | null;
  return writable(text(value, path), path);
}
