import { isRecord, recordOf } from "../../json.ts";
import { regularExpression } from "./checks.ts";
import { isAnnotation, Refusal } from "./keywords.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Returns the schema that a reference names. Throws Refusal if no schema has that name. */
export type Resolve = (reference: unknown, path: readonly string[]) => Schema;

/**
 * Joins a schema with its `allOf`, and with its `$ref` if anything is beside it, so that one schema says all. Throws Refusal
 * if the parts contradict each other, or say what one schema cannot.
 * @param spend takes the size of what is joined, and throws Refusal if that was too much.
 */
export function joined(
  given: Schema,
  path: readonly string[],
  resolve: Resolve,
  spend: (size: number) => void,
): Schema {
  const { allOf, ...own } = given;
  if (allOf === undefined && !isBesideReference(own)) return given;
  spend(ownSize + sizeOf(given));
  if (allOf !== undefined && (!Array.isArray(allOf) || allOf.length === 0))
    throw new Refusal([...path, "allOf"], "has to be a list of at least 1 item");
  const listed: readonly unknown[] = Array.isArray(allOf) ? (allOf as readonly unknown[]) : [];
  const parts = [own, ...listed.map((part, index) => partOf(part, [...path, "allOf", String(index)]))];
  const speaking = parts.filter((part) => Object.keys(part).some((keyword) => !isSilent(keyword)));
  // A reference by itself stays one, so that schemas may contain themselves.
  const wholes = speaking.length <= 1 && !isBesideReference(own) ? parts : parts.map(resolved);
  for (const [index, { pattern }] of wholes.entries()) {
    // Beside another pattern it may look like a part of one, such as "a)(b".
    if (typeof pattern !== "string" || regularExpression(pattern) !== undefined) continue;
    const place = index === 0 ? path : [...path, "allOf", String(index - 1)];
    throw new Refusal([...place, "pattern"], "is no regular expression");
  }
  const flat = wholes.map((part) => joined(part, path, resolve, spend));
  return flat.slice(1).reduce((sum, part) => {
    spend(sizeOf(sum) + sizeOf(part));
    return joinTwo(sum, part, [...path, "allOf"]);
  }, flat[0] ?? {});

  function resolved(part: Schema): Schema {
    const { $ref, ...beside } = part;
    return $ref === undefined ? part : { ...beside, allOf: [...allOfIn(part), resolve($ref, path)] };
  }
}

/** Each join counts as much. So a schema that contains itself ends soon. */
const ownSize = 40;

/** Fields, and what is directly in their values. */
export function sizeOf(schema: Schema): number {
  return Object.values(schema).reduce<number>(
    (sum, value) => sum + 1 + (typeof value === "object" && value !== null ? Object.keys(value).length : 0),
    0,
  );
}

function allOfIn({ allOf }: Schema): readonly unknown[] {
  return Array.isArray(allOf) ? (allOf as readonly unknown[]) : [];
}

function partOf(part: unknown, path: readonly string[]): Schema {
  if (part === true) return {};
  if (!isRecord(part)) throw new Refusal(path, "has to be an object");
  return part;
}

function isSilent(keyword: string): boolean {
  return ["description", "$defs", "definitions"].includes(keyword) || isAnnotation(keyword);
}

function isBesideReference({ $ref, ...beside }: Schema): boolean {
  return $ref !== undefined && Object.keys(beside).some((keyword) => !isSilent(keyword));
}

function joinTwo(one: Schema, other: Schema, path: readonly string[]): Schema {
  checkClosed(one, other, path);
  checkClosed(other, one, path);
  const both = Object.keys(other).filter((keyword) => Object.hasOwn(one, keyword));
  const shared: Schema = Object.fromEntries(
    both.map((keyword) => [keyword, joinValues(keyword, one[keyword], other[keyword], path)]),
  );
  return { ...one, ...other, ...shared };
}

function joinValues(keyword: string, one: unknown, other: unknown, path: readonly string[]): unknown {
  // The outer one, which comes first, is about this place.
  if (isSilent(keyword) || one === other) return one;
  switch (keyword) {
    case "properties":
      return joinProperties(recordOf(one), recordOf(other));
    case "items":
      return { allOf: [one, other] };
    case "required":
      return [...new Set([...listOf(one), ...listOf(other)])];
    case "type":
      return commonTypes(listOf(one), listOf(other), path);
    case "enum":
      return common(keyword, listOf(one), listOf(other), path);
    case "additionalProperties":
      if (one === true || other === true) return one === true ? other : one;
      // `checkClosed` has seen that no others are allowed, so their schema says nothing.
      if (one === false || other === false) return false;
      break;
    case "uniqueItems":
      return one === true || other === true;
    case "pattern": {
      const later = patternsIn(other);
      const both = later === null ? null : patternsIn(one)?.with(later);
      if (both != null) return both;
      break;
    }
    default:
      if (typeof one !== "number" || typeof other !== "number") break;
      if (/^(?:min|exclusiveMin)/.test(keyword)) return Math.max(one, other);
      if (/^(?:max|exclusiveMax)/.test(keyword)) return Math.min(one, other);
  }
  throw new Refusal(path, `has two parts that cannot be joined, since both have ${keyword}`);
}

/** Patterns of several parts. A text has to match all of them. */
export class Patterns {
  readonly #all: readonly string[];

  constructor(all: readonly string[]) {
    this.#all = all;
  }

  /** @returns null if a later pattern names a group of its own: behind another pattern, that could be one of the other's groups. */
  with(later: Patterns): Patterns | null {
    const others = later.#all;
    const hasGroup = others.some((each) => /\\[1-9]|\(\?<[^=!]/.test(each));
    return hasGroup ? null : new Patterns([...this.#all, ...others]);
  }

  /** The pattern of the texts that match all. Each may match at any place, unless it says where. */
  get joined(): string {
    return `^${this.#all.map((each) => `(?=[\\s\\S]*(?:${each}))`).join("")}`;
  }
}

function patternsIn(value: unknown): Patterns | null {
  if (typeof value === "string") return new Patterns([value]);
  return value instanceof Patterns ? value : null;
}

function joinProperties(one: Schema, other: Schema): Schema {
  const twice = Object.keys(other).filter((name) => Object.hasOwn(one, name));
  const both: Schema = Object.fromEntries(twice.map((name) => [name, { allOf: [one[name], other[name]] }]));
  return { ...one, ...other, ...both };
}

/** A part without other properties forbids those of the other parts. */
function checkClosed(closed: Schema, other: Schema, path: readonly string[]): void {
  const { additionalProperties } = closed;
  if (additionalProperties === undefined || additionalProperties === true) return;
  const own = recordOf(closed["properties"]);
  const foreign = Object.keys(recordOf(other["properties"])).find((name) => !Object.hasOwn(own, name));
  if (foreign !== undefined)
    throw new Refusal(path, "has a part whose additionalProperties excludes the properties of another part");
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [value];
}

function commonTypes(one: readonly unknown[], other: readonly unknown[], path: readonly string[]): unknown {
  const isIn = (type: unknown, list: readonly unknown[]): boolean =>
    list.includes(type) || (type === "integer" && list.includes("number"));
  const shared = [
    ...one.filter((type) => isIn(type, other)),
    ...other.filter((type) => isIn(type, one) && !one.includes(type)),
  ];
  if (shared.length === 0) throw new Refusal(path, "has parts of types that exclude each other");
  return shared.length === 1 ? shared[0] : shared;
}

function common(
  keyword: string,
  one: readonly unknown[],
  other: readonly unknown[],
  path: readonly string[],
): readonly unknown[] {
  const others = new Set(other);
  const shared = one.filter((each) => others.has(each));
  if (shared.length === 0) throw new Refusal(path, `has parts whose ${keyword} have no value in common`);
  return shared;
}
