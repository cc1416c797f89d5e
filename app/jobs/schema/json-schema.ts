import { isRecord, recordOf } from "../../json.ts";
import { costMistake } from "../grammar/cost.ts";
import { endlessDefinition } from "../grammar/finite-schema.ts";
import { hasNestedChoices } from "../grammar/nested-choices.ts";
import { type JsonSchema, schemaRules } from "../grammar/schema-rules.ts";
import { joined, Patterns } from "./all-of.ts";
import { grammarSchema, regularExpression } from "./checks.ts";
import { enforceable } from "./enforceable.ts";
import {
  countBounds,
  formats,
  isAnnotation,
  meantType,
  numberBounds,
  Refusal,
  saysWhat,
  schemaLimits,
  types,
} from "./keywords.ts";
import { mayOverlap, type StepBudget, stepBudget } from "./overlap.ts";
import { isCheckedFormat } from "./text-formats.ts";

/**
 * A JSON schema that can be enforced, or the reason why it cannot. `path` is a path within the schema, such as
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
 * @param checked whether the finished answer is checked, too: then keywords are kept that no grammar can enforce.
 */
export function parseSchema(
  value: unknown,
  {
    budget = stepBudget(),
    checked = false,
  }: { readonly budget?: StepBudget; readonly checked?: boolean } = {},
): SchemaParse {
  return orRefused(() => {
    const walk = new Walk(value, checked, budget);
    const schema = walk.root();
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
    const walk = new Walk(value, true, budget);
    const schema = walk.root();
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
    const rules = schemaRules(grammarSchema(schema));
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
  readonly #value: unknown;
  /** The whole schema without its definitions, which stay at the top. */
  readonly #whole: JsonSchema;
  readonly #checked: boolean;
  /** Parts of the schema to which references lead, outside of its definitions. By pointer, with their new names. */
  readonly #hoisted = new Map<string, string>();
  readonly #budget: StepBudget;
  #nodes = 0;

  constructor(value: unknown, checked: boolean, budget: StepBudget) {
    const { $defs: _, definitions: __, ...whole } = recordOf(value);
    this.#value = value;
    this.#whole = whole;
    this.#checked = checked;
    this.#budget = budget;
  }

  root(): JsonSchema {
    const schema = this.#schema(this.#value, [], 1);
    const more: [string, JsonSchema][] = [];
    // A part may refer to further ones, which are then behind it.
    for (const [pointer, name] of this.#hoisted)
      more.push([name, this.#schema(this.#at(pointer, []), keysOf(pointer), 2)]);
    return more.length === 0
      ? schema
      : { ...schema, $defs: { ...recordOf(schema["$defs"]), ...Object.fromEntries(more) } };
  }

  #schema(given: unknown, path: readonly string[], depth: number): JsonSchema {
    if (given === false) throw new Refusal(path, "allows no value");
    const all = given === true && depth > 1 ? {} : given;
    if (!isRecord(all)) throw new Refusal(path, "has to be an object");
    if (depth > schemaLimits.depth) throw new Refusal(path, `is deeper than ${schemaLimits.depth} levels`);
    if (++this.#nodes > schemaLimits.nodes) {
      throw new Refusal(path, `is one of more than ${schemaLimits.nodes} schemas`);
    }
    const tuple = closedTuple(this.#withParts(all, path));
    const value = this.#checked ? namedRecord(tuple) : tuple;
    const type = saysWhat(value) ? undefined : meantType(value);
    const kept: Record<string, unknown> = type === undefined ? {} : { type };
    for (const [keyword, each] of Object.entries(value)) {
      if (isAnnotation(keyword) || saysNothing(keyword, each)) continue;
      const [name, parsed] = this.#keyword(keyword, each, [...path, keyword], depth);
      if (name in kept) throw new Refusal([...path, keyword], `says the same as another keyword: ${name}`);
      kept[name] = parsed;
    }
    return enforceable(kept, { path, depth, checked: this.#checked });
  }

  #withParts(value: JsonSchema, path: readonly string[]): JsonSchema {
    const resolve = (reference: unknown, at: readonly string[]): JsonSchema => {
      const found = this.#at(text(reference, [...at, "$ref"]), [...at, "$ref"]);
      return isRecord(found) ? found : {};
    };
    return joined(value, path, resolve, (size) => {
      this.#budget.joined -= size;
      if (this.#budget.joined >= 0) return;
      const why =
        "joins too many or too large schemas, together with the request's others, or one that contains itself";
      throw new Refusal(path, why);
    });
  }

  /** The part of the whole schema to which a pointer leads. */
  #at(pointer: string, path: readonly string[]): unknown {
    if (pointer === "#") return this.#whole;
    if (!pointer.startsWith("#/"))
      throw new Refusal(path, 'has to be within this schema, like "#/$defs/name"');
    const found = keysOf(pointer).reduce<unknown>(
      (part, key) =>
        typeof part === "object" && part !== null && Object.hasOwn(part, key)
          ? Reflect.get(part, key)
          : undefined,
      this.#value,
    );
    if (isRecord(found) || typeof found === "boolean") return found;
    throw new Refusal(path, "refers to no schema within this one");
  }

  #keyword(
    keyword: string,
    given: unknown,
    path: readonly string[],
    depth: number,
  ): readonly [string, unknown] {
    if (counts.has(keyword)) return [keyword, count(given, path)];
    if (numberBounds.has(keyword)) return [keyword, bound(keyword, given, path)];
    switch (keyword) {
      case "description":
        return [keyword, text(given, path)];
      case "type":
        return [keyword, this.#type(given, path)];
      case "format":
        return [keyword, text(given, path)];
      case "pattern":
        return [keyword, pattern(given instanceof Patterns ? given.joined : given, path)];
      case "uniqueItems":
        if (given === true) return [keyword, given];
        throw new Refusal(path, "has to be true or false");
      case "enum":
        return [keyword, list(given, path, schemaLimits.constants).map((each) => constant(each, path))];
      case "const":
        return [keyword, constant(given, path)];
      case "items":
        return [keyword, this.#schema(given, path, depth + 1)];
      case "additionalProperties":
        return [keyword, isAnything(given) || this.#others(given, path, depth)];
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
    const all = [...new Set(Array.isArray(given) ? list(given, path) : [given])];
    if (all.every((each) => typeof each === "string" && types.has(each)))
      return all.length === 1 ? all[0] : all;
    throw new Refusal(path, "has to be a JSON type, or a list of JSON types");
  }

  #others(given: unknown, path: readonly string[], depth: number): unknown {
    return given === false ? given : this.#schema(given, path, depth + 1);
  }

  #map(given: unknown, path: readonly string[], depth: number): JsonSchema {
    if (!isRecord(given)) throw new Refusal(path, "has to be an object");
    const entries = Object.entries(given);
    return Object.fromEntries(
      entries.map(([name, each]) => [writable(name, path), this.#schema(each, [...path, name], depth + 1)]),
    );
  }

  #schemas(given: unknown, path: readonly string[], depth: number): readonly JsonSchema[] {
    return list(given, path).map((each, index) => this.#schema(each, [...path, String(index)], depth + 1));
  }

  #reference(given: unknown, path: readonly string[]): string {
    const pointer = text(given, path);
    const name = /^#\/(?:\$defs|definitions)\/([^/~%]+)$/.exec(pointer)?.[1] ?? this.#hoist(pointer, path);
    this.references.push({ path, name });
    return `#/$defs/${name}`;
  }

  /** Makes a definition of the part to which a pointer leads. Returns its name. */
  #hoist(pointer: string, path: readonly string[]): string {
    const known = this.#hoisted.get(pointer);
    if (known !== undefined) return known;
    this.#at(pointer, path);
    const { $defs, definitions } = recordOf(this.#value);
    const others = new Set(this.#hoisted.values());
    const isTaken = (name: string): boolean =>
      others.has(name) || [$defs, definitions].some((each) => Object.hasOwn(recordOf(each), name));
    let name = pointer.replace(/[/~%]/g, ".");
    while (isTaken(name)) name += "'";
    this.#hoisted.set(pointer, name);
    return name;
  }
}

/** The steps of a JSON pointer in a URL's fragment. */
function keysOf(pointer: string): readonly string[] {
  const [, ...steps] = pointer.split("/");
  return steps.map((step) => unescaped(step).replaceAll("~1", "/").replaceAll("~0", "~"));
}

function unescaped(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** `items: false` allows only the `prefixItems`. */
function closedTuple(schema: JsonSchema): JsonSchema {
  const { items, ...rest } = schema;
  if (items !== false) return schema;
  const { prefixItems, maxItems } = rest;
  const first = Array.isArray(prefixItems) ? prefixItems.length : 0;
  return { ...rest, maxItems: Math.min(first, Number(maxItems ?? first)) };
}

/**
 * Names the properties of an object whose names are out of a list, as zod writes records by an enum. The answer then has all of them.
 * Only strict schemas are read like this: a call of another tool may name a few of a hundred labels.
 */
function namedRecord(schema: JsonSchema): JsonSchema {
  if (!("propertyNames" in schema)) return schema;
  const { propertyNames, additionalProperties = {}, ...rest } = schema;
  const { type = "string", enum: names, ...more } = recordOf(propertyNames);
  const isList = Array.isArray(names) && names.length > 0 && names.every((name) => typeof name === "string");
  if (!isList || type !== "string" || Object.keys(more).length > 0 || "properties" in rest) return schema;
  const properties = Object.fromEntries(names.map((name) => [name, additionalProperties]));
  return { ...rest, properties, additionalProperties: false };
}

function isAnything(given: unknown): boolean {
  return given === true || (isRecord(given) && Object.keys(given).length === 0);
}

/** Keywords with a value that allows everything: each name is a text, and other formats are only annotations. */
function saysNothing(keyword: string, given: unknown): boolean {
  if (keyword === "uniqueItems") return given === false;
  if (keyword === "format")
    return typeof given === "string" && !formats.has(given) && !isCheckedFormat(given);
  return keyword === "propertyNames" && isRecord(given) && JSON.stringify(given) === '{"type":"string"}';
}

function bound(keyword: string, value: unknown, path: readonly string[]): number {
  if (!Number.isFinite(value)) throw new Refusal(path, "has to be a number");
  if (keyword === "multipleOf" && Number(value) <= 0) throw new Refusal(path, "has to be above 0");
  return Number(value);
}

function pattern(value: unknown, path: readonly string[]): string {
  const given = text(value, path);
  const most = schemaLimits.patternChars;
  if (given.length > most) throw new Refusal(path, `has more than ${most} characters`);
  if (regularExpression(given) === undefined) throw new Refusal(path, "is no regular expression");
  return given;
}

function list(
  value: unknown,
  path: readonly string[],
  most: number = schemaLimits.nodes,
): readonly unknown[] {
  if (Array.isArray(value) && value.length > 0 && value.length <= most) return value;
  throw new Refusal(path, `has to be a list of 1 to ${String(most)} items`);
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
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= schemaLimits.counts)
    return Number(value);
  throw new Refusal(path, `has to be a whole number from 0 to ${schemaLimits.counts}`);
}

function constant(value: unknown, path: readonly string[]): string | number | boolean | null {
  if (value === null || typeof value === "boolean" || Number.isFinite(value))
    return value as boolean | number | null;
  if (typeof value === "string") return writable(wellFormed(value, path), path);
  throw new Refusal(path, "has to be text, a number, true, false or null");
}
