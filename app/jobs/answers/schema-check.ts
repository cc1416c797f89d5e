import { isRecord, recordOf } from "../../json.ts";
import type { JsonSchema } from "../grammar/schema-rules.ts";
import { grammarSchema, isOfForm, regularExpression } from "../schema/checks.ts";
import { isWithin } from "../schema/keywords.ts";
import { hasFormat } from "../schema/text-formats.ts";
import { OpenList, OpenObject, OpenText, OpenWord, readJsonStart, unwritten } from "./json-start.ts";

/** The most comparisons of a value with a schema. A larger answer is accepted unseen: the bound is for our own time. */
const maxSteps = 200_000;
/** Deeper values are accepted unseen. */
const maxDepth = 500;
/** Characters that one step compares. */
const charsPerStep = 64;

/**
 * Whether a value holds a schema that `parseSchema` has parsed. It reads the schema as the grammar that enforces it: every
 * property is required, others only appear if the schema allows them, and one match of `oneOf` is enough. Where the grammar
 * is more generous than JSON Schema, so is this: no honest device is refused. Takes at most about 200,000 steps.
 * @param patterns whether texts have to match their patterns. A pattern can take forever, so the backend checks none.
 */
export function holdsSchema(
  schema: JsonSchema,
  value: unknown,
  { patterns = false }: { readonly patterns?: boolean } = {},
): boolean {
  return new SchemaCheck(schema, patterns).holds(schema, value, 1);
}

/**
 * Whether a text may be the beginning of a JSON text of a value that holds a parsed schema, as the grammar writes it: with all
 * properties in their order, and constants as JSON writes them. Takes as many steps as `holdsSchema`, and one per character.
 */
export function mayHoldSchema(schema: JsonSchema, text: string): boolean {
  const start = readJsonStart(text);
  // Nobody checks more of an answer that was cut than each grammar of it does.
  return start !== null && holdsSchema(grammarSchema(schema, withoutLengths), start.value);
}

/** A grammar enforces the form of a text or its lengths, if both together are too large for it. */
function withoutLengths(schema: JsonSchema): JsonSchema | null {
  if (!isOfForm(schema)) return null;
  const { minLength: _, maxLength: __, ...rest } = schema;
  return rest;
}

class SchemaCheck {
  readonly #definitions: JsonSchema;
  /** Verdicts on objects and lists, so that nested choices do not multiply. */
  readonly #known = new Map<unknown, Map<object, boolean>>();
  readonly #patterns: boolean;
  #steps = 0;

  constructor(root: JsonSchema, patterns: boolean) {
    this.#definitions = recordOf(root["$defs"]);
    this.#patterns = patterns;
  }

  holds(schema: unknown, value: unknown, depth: number): boolean {
    if (value === unwritten || depth > maxDepth || ++this.#steps > maxSteps) return true;
    if (typeof value !== "object" || value === null) return this.#judge(schema, value, depth);
    const verdicts = this.#known.get(schema) ?? new Map<object, boolean>();
    this.#known.set(schema, verdicts);
    const known = verdicts.get(value);
    if (known !== undefined) return known;
    const verdict = this.#judge(schema, value, depth);
    verdicts.set(value, verdict);
    return verdict;
  }

  #judge(schema: unknown, value: unknown, depth: number): boolean {
    const given = recordOf(schema);
    if (typeof given["$ref"] === "string") {
      const name = given["$ref"].replace("#/$defs/", "");
      return Object.hasOwn(this.#definitions, name) && this.holds(this.#definitions[name], value, depth + 1);
    }
    if (Array.isArray(given["oneOf"]))
      return given["oneOf"].some((each) => this.holds(each, value, depth + 1));
    if ("const" in given) return isConstant(given["const"], value);
    if (Array.isArray(given["enum"])) return given["enum"].some((each) => isConstant(each, value));
    const types: unknown[] = Array.isArray(given["type"]) ? given["type"] : [given["type"]];
    return types.some((type) => this.#isOfType(type, given, value, depth));
  }

  #isOfType(type: unknown, given: JsonSchema, value: unknown, depth: number): boolean {
    switch (type) {
      case "string":
        if (value instanceof OpenText) return mayHoldText(given, value.start);
        return typeof value === "string" && holdsText(given, value) && this.#matches(given, value);
      case "number":
        if (value instanceof OpenWord) return /^[-\d]/.test(value.start);
        return typeof value === "number" && isWithin(given, value);
      case "integer":
        if (value instanceof OpenWord) return /^-?\d*$/.test(value.start);
        return Number.isInteger(value) && isWithin(given, Number(value));
      case "boolean":
        return isConstant(true, value) || isConstant(false, value);
      case "null":
        return isConstant(null, value);
      case "object":
        if (value instanceof OpenObject) return this.#mayHoldObject(given, value, depth);
        return isRecord(value) && !isOpen(value) && this.#holdsObject(given, value, depth);
      case "array":
        if (value instanceof OpenList) return this.#holdsItems(given, value.items, depth);
        return Array.isArray(value) && this.#holdsList(given, value, depth);
      default:
        return false;
    }
  }

  #holdsObject(given: JsonSchema, value: Readonly<Record<string, unknown>>, depth: number): boolean {
    const properties = Object.entries(recordOf(given["properties"]));
    const named = new Set(properties.map(([name]) => name));
    const others = Object.entries(value).filter(([name]) => !named.has(name));
    const count = properties.length + others.length;
    if (count < least(given, "minProperties") || count > most(given, "maxProperties")) return false;
    if (
      !properties.every(
        ([name, each]) => Object.hasOwn(value, name) && this.holds(each, value[name], depth + 1),
      )
    )
      return false;
    const other = given["additionalProperties"] ?? false;
    if (typeof other === "boolean") return other || others.length === 0;
    return others.every(([, each]) => this.holds(other, each, depth + 1));
  }

  #holdsList(given: JsonSchema, value: readonly unknown[], depth: number): boolean {
    const first: readonly unknown[] = Array.isArray(given["prefixItems"]) ? given["prefixItems"] : [];
    const shortest = Math.max(first.length, least(given, "minItems"));
    if (value.length < shortest || (given["uniqueItems"] === true && !this.#areUnique(value, depth)))
      return false;
    return this.#holdsItems(given, value, depth);
  }

  #areUnique(items: readonly unknown[], depth: number): boolean {
    const known = new Set<string>();
    for (const item of items) {
      const text = this.#canonical(item, depth);
      // The items are too large or too deep to compare them.
      if (text === null) return true;
      known.add(text);
    }
    return known.size === items.length;
  }

  /** One text for equal values, whatever the order of their fields. Null beyond the most steps, and for deeper values. */
  #canonical(value: unknown, depth: number): string | null {
    this.#steps += typeof value === "string" ? 1 + value.length / charsPerStep : 1;
    if (depth > maxDepth || this.#steps > maxSteps) return null;
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    const isList = Array.isArray(value);
    const names = isList ? [...value.keys()] : Object.keys(value).sort();
    const parts: string[] = [];
    for (const name of names) {
      const part = this.#canonical(Reflect.get(value, name), depth + 1);
      if (part === null) return null;
      parts.push(isList ? part : `${JSON.stringify(name)}:${part}`);
    }
    return isList ? `[${parts.join()}]` : `{${parts.join()}}`;
  }

  #matches({ pattern }: JsonSchema, value: string): boolean {
    if (!this.#patterns || typeof pattern !== "string") return true;
    try {
      return regularExpression(pattern)?.test(value) ?? true;
    } catch {
      // The comparison takes more memory than a regular expression may have. A device has no part in that.
      return false;
    }
  }

  #holdsItems(given: JsonSchema, items: readonly unknown[], depth: number): boolean {
    const first: readonly unknown[] = Array.isArray(given["prefixItems"]) ? given["prefixItems"] : [];
    if (items.length > most(given, "maxItems")) return false;
    return items.every((each, index) => {
      const schema = first[index] ?? given["items"];
      return schema === undefined || this.holds(schema, each, depth + 1);
    });
  }

  #mayHoldObject(given: JsonSchema, { names, values }: OpenObject, depth: number): boolean {
    const properties = Object.entries(recordOf(given["properties"]));
    if (names.length > most(given, "maxProperties")) return false;
    return names.every((name, index) => {
      const [own, schema] = properties[index] ?? [null, given["additionalProperties"] ?? false];
      if (own !== null && !isConstant(own, name)) return false;
      if (typeof schema === "boolean") return schema;
      return index >= values.length || this.holds(schema, values[index], depth + 1);
    });
  }
}

function isOpen(value: object): boolean {
  return [OpenText, OpenWord, OpenList, OpenObject].some((kind) => value instanceof kind);
}

/** Whether a value is a constant, or begins it. */
function isConstant(constant: unknown, value: unknown): boolean {
  if (value instanceof OpenText) return typeof constant === "string" && constant.startsWith(value.start);
  if (value instanceof OpenWord)
    return typeof constant !== "string" && JSON.stringify(constant).startsWith(value.start);
  return constant === value;
}

const date = "\\d{4}-\\d\\d-\\d\\d";
const time = "\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)";
const formats: Readonly<Record<string, RegExp>> = {
  date: new RegExp(`^${date}$`),
  time: new RegExp(`^${time}$`),
  "date-time": new RegExp(`^${date}T${time}$`),
};

/** llama.cpp counts bytes that are no characters in its own way, so a text with replacement characters has any length. */
function holdsText(given: JsonSchema, value: string): boolean {
  const format = typeof given["format"] === "string" ? given["format"] : "";
  if (!(formats[format]?.test(value) ?? hasFormat(format, value))) return false;
  if (value.includes("\uFFFD")) return true;
  const length = Array.from(value).length;
  return length >= least(given, "minLength") && length <= most(given, "maxLength");
}

const endings = ["Z", "+00:00", ".000Z", ".000+00:00"].map((end) => `00:00:00${end}`);
/** A date or time that was cut may go on like one of these. */
const examples: Readonly<Record<string, readonly string[]>> = {
  date: ["2000-01-01"],
  time: endings,
  "date-time": endings.map((end) => `2000-01-01T${end}`),
};

function mayHoldText(given: JsonSchema, start: string): boolean {
  const format = String(given["format"]);
  if (format in examples) {
    const wholes = (examples[format] ?? []).map((each) => start + each.slice(start.length));
    return wholes.some((each) => formats[format]?.test(each));
  }
  return start.includes("\uFFFD") || Array.from(start).length <= most(given, "maxLength");
}

function least(given: JsonSchema, name: string): number {
  return Number(given[name] ?? 0);
}

function most(given: JsonSchema, name: string): number {
  return Number(given[name] ?? Infinity);
}
