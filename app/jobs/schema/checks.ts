import { isRecord, parseJson } from "../../json.ts";
import type { JsonSchema } from "../grammar/schema-rules.ts";
import { countBounds, formats, numberBounds, schemaLimits } from "./keywords.ts";

/**
 * Keywords of strict schemas that no grammar can enforce. They stay in a parsed schema. The grammar is made without them, and
 * the finished answer is checked against them.
 */

/** Whether an answer has to be checked after a grammar has enforced what it can. @param schema a parsed one, as text. */
export function needsCheck(schema: string): boolean {
  const parsed = parseJson(schema);
  return isRecord(parsed) && JSON.stringify(grammarSchema(parsed)) !== JSON.stringify(parsed);
}

/** The part of a parsed schema that a grammar enforces. */
export function grammarSchema(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]): readonly (readonly [string, unknown])[] => {
      if (isChecked(keyword, schema)) return [];
      switch (keyword) {
        case "properties":
        case "$defs":
          return [[keyword, isRecord(value) ? mapped(value) : value]];
        case "oneOf":
        case "prefixItems":
          return [[keyword, Array.isArray(value) ? value.map(inner) : value]];
        case "items":
        case "additionalProperties":
          return [[keyword, inner(value)]];
        default:
          return [[keyword, value]];
      }
    }),
  );
}

function mapped(schemas: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, inner(each)]));
}

function inner(schema: unknown): unknown {
  return isRecord(schema) ? grammarSchema(schema) : schema;
}

/** Whether only a check of the finished answer can hold it to a keyword of a parsed schema. */
export function isChecked(keyword: string, schema: JsonSchema): boolean {
  if (numberBounds.has(keyword) || keyword === "pattern" || keyword === "uniqueItems") return true;
  const { format } = schema;
  if (keyword === "format") return !formats.has(String(format));
  const pair = countBounds.find((bounds) => bounds.some((each) => each === keyword));
  if (pair === undefined) return false;
  // A grammar spells out each repetition, and it enforces a format by itself.
  const [least] = pair;
  const isLong = [keyword, least].some((each) => Number(schema[each] ?? 0) > schemaLimits.repetitions);
  return isLong || (pair[0] === "minLength" && formats.has(String(format)));
}

/** Undefined if the text is no regular expression as JSON Schema has them. */
export function regularExpression(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return undefined;
  }
}
