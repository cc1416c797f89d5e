import { quotable } from "../../format/visible.ts";
import { recordOf } from "../../json.ts";
import type { JsonSchema } from "../grammar/schema-rules.ts";
import { isChecked } from "./checks.ts";
import { integersOf } from "./constants.ts";
import {
  allowsConstant,
  boundedBy,
  boundsOneOf,
  countBounds,
  numberBounds,
  Refusal,
  schemaLimits,
} from "./keywords.ts";

const anyObject: JsonSchema = { type: "object", additionalProperties: true };

/** Any JSON value. A text comes first, since models mostly write one. */
const anything: JsonSchema = {
  oneOf: [{ type: ["string", "number", "boolean", "null"] }, anyObject, { type: "array" }],
};

/** The place of a schema, and whether a keyword may be left to a check of the finished answer. */
export type Place = { readonly path: readonly string[]; readonly depth: number; readonly checked: boolean };

/**
 * Returns a schema as it can be enforced. Its keywords were parsed one by one. Throws Refusal if some exclude each other, or
 * would not be read beside others.
 */
export function enforceable(kept: JsonSchema, place: Place): JsonSchema {
  const { path } = place;
  const says = ["type", "enum", "const", "oneOf", "$ref"].filter((keyword) => keyword in kept);
  // The whole has to be an object, since no tool takes anything else.
  if (says.length === 0) return { ...kept, ...(place.depth === 1 ? anyObject : anything) };
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
  refuseUnread(kept, place);
  if ("enum" in kept || "const" in kept) return constantsOnly(kept, path);
  if (Array.isArray(kept["type"])) return alternativesOf(kept, place);
  const integers = integersOf(kept);
  if (integers !== null) return listedIntegers(kept, integers, path);
  refuseEmptyRange(kept, path);
  const schema = withoutWideBounds(kept);
  if (!place.checked) refuseChecked(schema, path);
  if (schema["type"] === "object") return closedObject(schema, path);
  return schema["type"] === "array" ? checkedList(schema, path) : schema;
}

/** Refuses keywords that would not be read beside the others. */
function refuseUnread(kept: JsonSchema, { path, checked }: Place): void {
  const isConstant = "enum" in kept || "const" in kept;
  const types: readonly unknown[] = Array.isArray(kept["type"]) ? kept["type"] : [kept["type"]];
  for (const keyword of Object.keys(kept)) {
    const type = boundedBy.get(keyword);
    if (type === undefined) continue;
    if (isConstant && ofConstants.has(keyword)) continue;
    if (isConstant || !boundsOneOf(keyword, types))
      throw new Refusal(
        [...path, keyword],
        `is only enforced beside the type ${type}, without enum and const`,
      );
    if (!checked && "format" in kept && (keyword === "minLength" || keyword === "maxLength"))
      throw new Refusal([...path, keyword], "cannot be combined with format");
  }
}

/** Keywords by which the constants beside them are chosen. */
const ofConstants: ReadonlySet<string> = new Set(["minLength", "maxLength", ...numberBounds]);

function refuseChecked(kept: JsonSchema, path: readonly string[]): void {
  for (const keyword of Object.keys(kept)) {
    if (!isChecked(keyword, kept)) continue;
    const most = String(schemaLimits.repetitions);
    const isCount = countBounds.some((bounds) => bounds.some((each) => each === keyword));
    throw new Refusal(
      [...path, keyword],
      isCount ? `has to be a whole number from 0 to ${most}` : "cannot be enforced by a grammar",
    );
  }
}

/** Drops the constants that the type or a bound excludes, and then these keywords. */
function constantsOnly(given: JsonSchema, path: readonly string[]): JsonSchema {
  const kept = Object.fromEntries(
    Object.entries(given).filter(([keyword]) => keyword !== "type" && !ofConstants.has(keyword)),
  );
  const keyword = "const" in kept ? "const" : "enum";
  const all = keyword === "const" ? [kept["const"]] : (kept["enum"] as readonly unknown[]);
  const allowed = all.filter((value) => allowsConstant(given, value));
  if (allowed.length === 0)
    throw new Refusal([...path, keyword], "has no value of the type and within the bounds");
  return keyword === "const" ? kept : { ...kept, enum: allowed };
}

function listedIntegers(kept: JsonSchema, integers: readonly number[], path: readonly string[]): JsonSchema {
  if (integers.length === 0) throw new Refusal(path, "allows no integer");
  const rest = Object.entries(kept).filter(([keyword]) => keyword !== "type" && !numberBounds.has(keyword));
  return { ...Object.fromEntries(rest), enum: integers };
}

/** The grammar writes no larger integer, and no larger number. Zod names such bounds for each integer. */
const widest: Readonly<Record<string, number>> = { integer: 1e15 - 1, number: 1e116 };

/** Drops bounds that each number of the grammar is within. */
function withoutWideBounds(kept: JsonSchema): JsonSchema {
  const wide = widest[String(kept["type"])];
  if (wide === undefined) return kept;
  const isWide = (keyword: string, value: number): boolean =>
    ["minimum", "exclusiveMinimum"].includes(keyword)
      ? value <= -wide - (keyword === "minimum" ? 0 : 1)
      : ["maximum", "exclusiveMaximum"].includes(keyword) && value >= wide + (keyword === "maximum" ? 0 : 1);
  return Object.fromEntries(
    Object.entries(kept).filter(([keyword, value]) => !isWide(keyword, Number(value))),
  );
}

/** Refuses bounds without a number between them that the grammar writes: each answer would fail its check. */
function refuseEmptyRange(kept: JsonSchema, path: readonly string[]): void {
  const type = String(kept["type"]);
  const wide = widest[type];
  if (wide === undefined) return;
  const bound = (keyword: string, none: number): number => Number(kept[keyword] ?? none);
  const [minimum, above] = [bound("minimum", -wide), bound("exclusiveMinimum", -Infinity)];
  const [maximum, below] = [bound("maximum", wide), bound("exclusiveMaximum", Infinity)];
  const least = Math.max(minimum, above, -wide);
  const most = Math.min(maximum, below, wide);
  if (least > most || (least === most && (above === least || below === most)))
    throw new Refusal(path, `allows no ${type} that an answer can have`);
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

/** Several types, each with the keywords that bound it. */
function alternativesOf({ type, ...kept }: JsonSchema, place: Place): JsonSchema {
  const types = type as readonly string[];
  const { description, $defs, ...bounds } = kept;
  const isPlain = !types.includes("object") && !types.includes("array");
  if (isPlain && Object.keys(bounds).length === 0) return { type, ...kept };
  const oneOf = types.map((each) => {
    const own = Object.entries(bounds).filter(([keyword]) => boundsOneOf(keyword, [each]));
    return enforceable({ type: each, ...Object.fromEntries(own) }, place);
  });
  return {
    ...(description === undefined ? {} : { description }),
    ...($defs === undefined ? {} : { $defs }),
    oneOf,
  };
}
