import { isRecord, recordOf } from "../../json.ts";
import { costMistake } from "../grammar/cost.ts";
import { endlessDefinition } from "../grammar/finite-schema.ts";
import { hasNestedChoices } from "../grammar/nested-choices.ts";
import { type JsonSchema, schemaRules } from "../grammar/schema-rules.ts";
import { annotations, countBounds, enforceable, formats, Refusal, schemaLimits, types } from "./keywords.ts";
import { mayOverlap, type StepBudget, stepBudget } from "./overlap.ts";

/**
 * A JSON schema that llama.cpp can enforce, or the reason why it cannot. `path` is a path within the schema, such as
 * "properties.a".
 */
type SchemaParse =
  | { readonly kind: "ok"; readonly schema: JsonSchema }
  | { readonly kind: "refused"; readonly path: string; readonly reason: string };

const counts = new Set<string>(countBounds.flat());

/**
 * Parses and bounds a schema. Refuses keywords that would not be enforced or that exclude each other, and treats `anyOf` as
 * `oneOf`. Requires all properties, whatever `required` leaves out. Allows others only beside no properties, and only if
 * `additionalProperties` does. An answer that satisfies these stricter rules satisfies the schema, too. Checks the size before
 * it compares alternatives, and spends no more than the budget on them.
 */
export function parseSchema(value: unknown, budget: StepBudget = stepBudget()): SchemaParse {
  return orRefused(() => {
    const walk = new Walk();
    const schema = walk.schema(value, [], 1);
    if (JSON.stringify(schema).length > schemaLimits.characters)
      throw new Refusal([], `has more than ${schemaLimits.characters} characters`);
    const definitions = recordOf(schema["$defs"]);
    for (const { path, alternatives } of walk.exclusive) {
      if (!mayOverlap(alternatives, definitions, budget)) continue;
      throw new Refusal(
        path,
        budget.left < 0
          ? "has too many alternatives to compare with each other, together with the request's others. Use anyOf"
          : "has alternatives that one value may match together. Use anyOf",
      );
    }
    return parseKeptSchema(schema, budget);
  });
}

/** Parses a schema that `parseSchema` has made. Its `oneOf` may have been an `anyOf`, so alternatives may overlap. */
export function parseKeptSchema(value: unknown, budget: StepBudget = stepBudget()): SchemaParse {
  return orRefused(() => {
    const walk = new Walk();
    const schema = walk.schema(value, [], 1);
    for (const { path, name } of walk.references) {
      if (!walk.definitions.has(name)) throw new Refusal(path, "refers to a name that $defs does not define");
    }
    const endless = endlessDefinition(schema);
    if (endless !== null) {
      const why =
        "since it always contains itself. All properties are required, so let one be null, or use a list";
      throw new Refusal(["$defs", endless], `has no finite value, ${why}`);
    }
    const isNested = walk.references.length > 0 && hasNestedChoices(schema);
    const rules = schemaRules(schema);
    const mistake = costMistake(rules, isNested ? "schemaWithNestedChoices" : "schema", (steps) => {
      budget.nested -= steps;
      return budget.nested >= 0;
    });
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
    const kept: Record<string, unknown> = {};
    for (const [keyword, given] of Object.entries(value)) {
      if (annotations.has(keyword)) continue;
      const [name, parsed] = this.#keyword(keyword, given, [...path, keyword], depth);
      if (name in kept) throw new Refusal([...path, keyword], `says the same as another keyword: ${name}`);
      kept[name] = parsed;
    }
    return enforceable(kept, path);
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
      return [...new Set(all)];
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
