import { isRecord, parseJson } from "../../json.ts";
import type { JsonSchema } from "../grammar/schema-rules.ts";
import { countBounds, formats, numberBounds, schemaLimits } from "./keywords.ts";
import { isCheckedFormat } from "./text-formats.ts";

/**
 * Keywords of strict schemas that the library's grammars do not enforce. They stay in a parsed schema, and the finished answer
 * is checked against them. Our own rules enforce some of them, too: leaves.ts.
 */

/** Whether an answer has to be checked after a grammar has enforced what it can. @param schema a parsed one, as text. */
export function needsCheck(schema: string): boolean {
  const parsed = parseJson(schema);
  return isRecord(parsed) && JSON.stringify(grammarSchema(parsed)) !== JSON.stringify(parsed);
}

/** Returns another schema in place of one within a schema; null: keeps it. */
export type Replace = (schema: JsonSchema) => JsonSchema | null;

/** The part of a parsed schema that the library's grammar enforces. */
export function grammarSchema(schema: JsonSchema, replace: Replace = () => null): JsonSchema {
  const inner = (value: unknown): unknown => (isRecord(value) ? grammarSchema(value, replace) : value);
  const mapped = (schemas: JsonSchema): JsonSchema =>
    Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, inner(each)]));
  const own = replace(schema) ?? schema;
  return Object.fromEntries(
    Object.entries(own).flatMap(([keyword, value]): readonly (readonly [string, unknown])[] => {
      if (isChecked(keyword, own)) return [];
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

/** Whether a schema is of a text whose form a grammar may enforce by our own rules, and its lengths perhaps not. */
export function isOfForm({ type, pattern, format }: JsonSchema): boolean {
  return type === "string" && (pattern !== undefined || isCheckedFormat(String(format)));
}

/** Whether the library's grammar does not enforce a keyword of a parsed schema. */
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
