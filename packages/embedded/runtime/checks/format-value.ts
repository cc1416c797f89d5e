import { jsonToConvex, type JSONValue } from "convex/values";
import { assertNever } from "../../values/assert-never.ts";
import type { ObjectField, ValidatorJson } from "./validator-json.ts";
import { kindOf } from "./value-kind.ts";

const maxLength = 16_384;

/** Formats a value as Convex's validation errors do: `{age: 1.0, name: "ada"}`. */
export function formatValue(value: JSONValue): string {
  const text = format(value);
  return text.length > maxLength ? `${text.slice(0, maxLength)}[...truncated]` : text;
}

function format(value: JSONValue): string {
  const kind = kindOf(value);
  switch (kind) {
    case "null":
    case "boolean":
      return JSON.stringify(value);
    case "number":
      return formatFloat(jsonToConvex(value) as number);
    case "bigint":
      return `${jsonToConvex(value) as bigint}`;
    case "string":
      return JSON.stringify(value);
    case "bytes":
      return (value as { $bytes: string }).$bytes;
    case "commitTs":
      return "<commitTs>";
    case "array":
      return `[${(value as JSONValue[]).map(format).join(", ")}]`;
    case "object":
      return braced(value as { [field: string]: JSONValue }, format);
    default:
      return assertNever(kind);
  }
}

function formatFloat(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  if (value === Infinity) return "inf";
  if (value === -Infinity) return "-inf";
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

function braced<T>(fields: { readonly [field: string]: T }, print: (value: T) => string): string {
  const names = Object.keys(fields).sort();
  return `{${names.map((name) => `${name}: ${print(fields[name] as T)}`).join(", ")}}`;
}

/** Formats a validator as source code: `v.object({name: v.string()})`. */
export function formatValidator(validator: ValidatorJson): string {
  switch (validator.type) {
    case "number":
      return "v.float64()";
    case "bigint":
      return "v.int64()";
    case "null":
    case "commitTs":
    case "boolean":
    case "string":
    case "bytes":
    case "any":
      return `v.${validator.type}()`;
    case "literal":
      return `v.literal(${formatLiteral(validator.value)})`;
    case "id":
      return `v.id("${validator.tableName}")`;
    case "array":
      return `v.array(${formatValidator(validator.value)})`;
    case "record":
      return `v.record(${formatValidator(validator.keys)}, ${formatField(validator.values)})`;
    case "object":
      return `v.object(${braced(validator.value, formatField)})`;
    case "union":
      return `v.union(${validator.value.map(formatValidator).join(", ")})`;
    default:
      return assertNever(validator);
  }
}

/** Formats a literal as in `v.literal(…)`. */
export function formatLiteral(value: JSONValue): string {
  return kindOf(value) === "bigint" ? "<bigint>" : formatValueOfLiteral(value);
}

function formatValueOfLiteral(value: JSONValue): string {
  return kindOf(value) === "number" ? formatFloat(jsonToConvex(value) as number) : JSON.stringify(value);
}

function formatField({ fieldType, optional }: ObjectField): string {
  const text = formatValidator(fieldType);
  return optional ? `v.optional(${text})` : text;
}
