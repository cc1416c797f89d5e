import { visibleText } from "../../format/visible.ts";
import { wellFormed } from "../../format/well-formed.ts";
import { isRecord, recordOf } from "../../json.ts";
import { sizeOf } from "./all-of.ts";
import { constantsOf } from "./constants.ts";
import {
  annotations,
  boundedBy,
  boundsOneOf,
  countBounds,
  formats,
  meantType,
  saysWhat,
  schemaLimits,
  types,
} from "./keywords.ts";
import { type StepBudget, stepBudget } from "./overlap.ts";

type Schema = Readonly<Record<string, unknown>>;

/** For a schema that cannot be enforced at all. */
export const anyObject: Schema = { type: "object", additionalProperties: true };

const scalars = ["string", "number", "boolean", "null"];

/** Any JSON value. A text comes first, since models mostly write one. */
const anything: Schema = { anyOf: [{ type: scalars }, anyObject, { type: "array" }] };

/** Deeper schemas allow anything. */
const deepest = schemaLimits.depth - 2;

/** More definitions are not compared. A reference within one of them then allows anything. */
const mostCompared = 100;

/** A note is for a model to read, so it is short. */
const longestNote = 200;

/**
 * Turns the schema of a tool that is not strict into one that can be enforced. Such a tool promises nothing about its
 * arguments, so a keyword that cannot be enforced only becomes words in the description, for the model to read.
 */
export function relaxed(value: unknown, budget: StepBudget = stepBudget()): Schema {
  const schema = relaxedAnswer(value, budget);
  return isOfObjects(schema) ? schema : anyObject;
}

/** The same for the schema of an answer, which may be of any type. */
export function relaxedAnswer(value: unknown, budget: StepBudget = stepBudget()): Schema {
  return new Relaxing(value, budget).root();
}

/** A reference may be one to something else. The model then writes what its author asked for. */
function isOfObjects({ type, anyOf, $ref }: Schema): boolean {
  if (Array.isArray(anyOf)) return anyOf.every((each) => isRecord(each) && isOfObjects(each));
  return type === "object" || $ref !== undefined;
}

class Relaxing {
  readonly #value: unknown;
  readonly #definitions: Schema;
  readonly #reached: ReadonlyMap<string, ReadonlySet<string>>;
  /** The definition that is being relaxed, or null. */
  #within: string | null = null;
  readonly #budget: StepBudget;
  #nodes = 0;

  constructor(value: unknown, budget: StepBudget) {
    this.#value = value;
    this.#budget = budget;
    const { $defs, definitions } = recordOf(value);
    this.#definitions = joinedFields([recordOf(definitions), recordOf($defs)]);
    this.#reached = reachOf(this.#definitions);
  }

  root(): Schema {
    const { $defs: _, definitions: __, ...own } = recordOf(this.#value);
    const relaxed = this.#schema(own, 1);
    const definitions = Object.entries(this.#definitions).map(([name, each]): [string, Schema] => {
      this.#within = name;
      return [name, this.#schema(each, 2)];
    });
    return definitions.length === 0 ? relaxed : { ...relaxed, $defs: Object.fromEntries(definitions) };
  }

  #schema(value: unknown, depth: number): Schema {
    this.#nodes += 1;
    if (!isRecord(value) || depth > deepest || this.#nodes > schemaLimits.nodes) return anything;
    return this.#typed(withType(this.#merged(value)), depth);
  }

  #typed(schema: Schema, depth: number): Schema {
    const { type, anyOf, oneOf, $ref, ...rest } = schema;
    const { description } = schema;
    if (typeof $ref === "string") return this.#reference($ref, description);
    const constants = constantsOf(schema);
    if (constants !== null) return { ...constants, ...described(description, []) };
    const known = typesIn(type);
    const alternatives: unknown = anyOf ?? oneOf;
    if (known.length === 0 && Array.isArray(alternatives) && alternatives.length > 0) {
      return {
        anyOf: alternatives.slice(0, schemaLimits.nodes).map((each) => this.#schema(each, depth + 1)),
        ...described(description, []),
      };
    }
    if (known.length === 0) return { ...anything, ...described(description, notesOf(rest)) };
    const [only] = known;
    if (known.length === 1 && only !== undefined) return this.#ofType([only], rest, depth);
    const plain = known.filter((each) => each !== "object" && each !== "array");
    if (plain.length === known.length) return this.#ofType(known, rest, depth);
    const split = [...known.filter((each) => !plain.includes(each)).map((each) => [each]), plain];
    const { description: _, ...bounds } = rest;
    return {
      anyOf: split.filter((each) => each.length > 0).map((each) => this.#ofType(each, bounds, depth + 1)),
      ...described(description, []),
    };
  }

  /** One type, or several without objects and lists. Keywords of other types are left out. */
  #ofType(of: readonly string[], schema: Schema, depth: number): Schema {
    const kept: Record<string, unknown> = { type: of.length === 1 ? of[0] : of };
    const left: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === "description" || !boundsOneOf(keyword, of)) continue;
      const part = boundedBy.has(keyword) ? this.#part(keyword, value, schema, depth) : undefined;
      if (part === undefined) left[keyword] = value;
      else kept[keyword] = part;
    }
    return { ...kept, ...described(schema["description"], notesOf(left)) };
  }

  /** A keyword's value as it can be enforced. Undefined: not at all. */
  #part(keyword: string, value: unknown, schema: Schema, depth: number): unknown {
    switch (keyword) {
      case "properties":
        return isRecord(value)
          ? Object.fromEntries(
              Object.entries(value).map(([name, each]) => [name, this.#schema(each, depth + 1)]),
            )
          : undefined;
      case "items":
        return isRecord(value) ? this.#schema(value, depth + 1) : undefined;
      case "additionalProperties":
        return isRecord(value) ? this.#schema(value, depth + 1) : value === false ? false : undefined;
      case "prefixItems":
        return Array.isArray(value) && value.length > 0 && schema["maxItems"] === undefined
          ? value.map((each) => this.#schema(each, depth + 1))
          : undefined;
      case "required":
        return namesIn(value, schema["properties"]);
      case "format":
        return typeof value === "string" && formats.has(value) && !hasCounts(schema) ? value : undefined;
      case "minLength":
      case "maxLength":
      case "minItems":
      case "maxItems":
        return hasCounts(schema) ? value : undefined;
      // An answer has all properties and no others, whatever `minProperties` and `maxProperties` say.
      default:
        return undefined;
    }
  }

  /** A definition that leads back to itself would have no end, since an answer has all properties. */
  #reference(to: string, description: unknown): Schema {
    const name = definedName(to);
    const isKnown = name !== null && Object.hasOwn(this.#definitions, name);
    const isEndless =
      isKnown && this.#within !== null && this.#reached.get(name)?.has(this.#within) !== false;
    return {
      ...(isKnown && !isEndless ? { $ref: `#/$defs/${name}` } : anything),
      ...described(description, []),
    };
  }

  /** Joins `allOf` with the schema around it: a single part, or objects. Leaves it out if all such parts are too large. */
  #merged(schema: Schema): Schema {
    const { allOf, ...own } = schema;
    if (!Array.isArray(allOf)) return schema;
    const parts = [own, ...allOf.filter(isRecord)];
    const saying = parts.filter(saysWhat);
    if (saying.length <= 1) return joinedFields(parts);
    const wholes = parts.map((part) => this.#resolved(part));
    for (const whole of wholes) {
      this.#budget.joined -= 1 + sizeOf(whole);
      if (this.#budget.joined < 0) return own;
    }
    const objects = wholes.map(withType);
    if (!objects.filter(saysWhat).every((part) => part["type"] === "object")) return own;
    const properties = joinedFields(objects.map((part) => recordOf(part["properties"])));
    return { ...joinedFields(objects), properties };
  }

  #resolved(schema: Schema): Schema {
    const name = typeof schema["$ref"] === "string" ? definedName(schema["$ref"]) : null;
    return name !== null && Object.hasOwn(this.#definitions, name)
      ? recordOf(this.#definitions[name])
      : schema;
  }
}

function definedName(reference: string): string | null {
  return /^#\/(?:\$defs|definitions)\/([^/~%]+)$/.exec(reference)?.[1] ?? null;
}

/** The definitions that each one leads to, itself only if it leads back. None are known if there are too many. */
function reachOf(definitions: Schema): ReadonlyMap<string, ReadonlySet<string>> {
  const names = Object.keys(definitions);
  if (names.length > mostCompared) return new Map();
  const direct = new Map(names.map((name) => [name, new Set(referencesIn(definitions[name]))]));
  return new Map(
    names.map((name) => {
      const reached = new Set<string>();
      const next = [name];
      for (let each = next.pop(); each !== undefined; each = next.pop()) {
        for (const to of direct.get(each) ?? []) {
          if (reached.has(to)) continue;
          reached.add(to);
          next.push(to);
        }
      }
      return [name, reached];
    }),
  );
}

function referencesIn(value: unknown): readonly string[] {
  const found: string[] = [];
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const each = rest.pop();
    if (Array.isArray(each)) rest.push(...(each as readonly unknown[]));
    else if (isRecord(each)) {
      if (typeof each["$ref"] === "string") found.push(definedName(each["$ref"]) ?? "");
      rest.push(...Object.values(each));
    }
  }
  return found;
}

/** The later of two equal fields counts. */
function joinedFields(parts: readonly Schema[]): Schema {
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part)));
}

/** Adds the type that a schema's keywords mean, as of an object whose alternatives only name what is required. */
function withType(schema: Schema): Schema {
  if (["type", "enum", "const", "$ref"].some((keyword) => Object.hasOwn(schema, keyword))) return schema;
  const type = meantType(schema);
  return type === undefined ? schema : { type, ...schema };
}

function typesIn(type: unknown): readonly string[] {
  const all: readonly unknown[] = Array.isArray(type) ? type : [type];
  return [...types].filter((known) => all.includes(known));
}

/** Whether the bounds of lengths and numbers can be enforced. */
function hasCounts(schema: Schema): boolean {
  const bounds = countBounds.filter(([least, most]) => least in schema || most in schema);
  return (
    bounds.length > 0 &&
    bounds.every(([least, most]) => {
      const [from, to] = [schema[least] ?? 0, schema[most] ?? schemaLimits.repetitions];
      return [from, to].every(isCount) && Number(from) <= Number(to);
    })
  );
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= schemaLimits.repetitions;
}

function namesIn(value: unknown, properties: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(value) || !isRecord(properties)) return undefined;
  const names: readonly unknown[] = value;
  return names.filter((name) => typeof name === "string" && Object.hasOwn(properties, name));
}

/** The keywords in words, if they are short. */
function notesOf(schema: Schema): readonly string[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (silent.has(keyword)) return [];
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return [];
    // Zod writes such bounds for each integer.
    if (typeof value === "number" && Math.abs(value) === Number.MAX_SAFE_INTEGER) return [];
    const note = `${keyword}: ${String(value)}`;
    return note.length <= longestNote ? [visibleText(note)] : [];
  });
}

/** They tell a model nothing, or are told otherwise. A default tells it something. */
const silent = new Set([
  ...annotations,
  "description",
  "type",
  "enum",
  "const",
  "anyOf",
  "oneOf",
  "$ref",
  "$defs",
  "definitions",
]);
silent.delete("default");

function described(description: unknown, notes: readonly string[]): { readonly description?: string } {
  const said = typeof description === "string" && description !== "" ? [wellFormed(description)] : [];
  const told = [...said, ...(notes.length === 0 ? [] : [`(${notes.join("; ")})`])];
  return told.length === 0 ? {} : { description: told.join(" ") };
}
