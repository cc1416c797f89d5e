import type { JSONValue } from "convex/values";
import { assertNever } from "../../assert-never.ts";
import { formatLiteral, formatValidator, formatValue } from "./format-value.ts";
import type { TableOf, ValidatorJson } from "./validator-json.ts";
import { kindOf } from "./value-kind.ts";

type ObjectValidator = Extract<ValidatorJson, { type: "object" }>;
type Fields = { readonly [field: string]: JSONValue };

/** Checks a value against a validator. Null when it fits, else the problem in Convex's words. */
export function checkValue(
  validator: ValidatorJson,
  value: JSONValue,
  tableOf: TableOf,
  path = "",
): string | null {
  switch (validator.type) {
    case "any":
      return null;
    case "null":
    case "number":
    case "boolean":
    case "string":
    case "bytes":
      return kindOf(value) === validator.type ? null : noMatch(validator, value, path);
    case "bigint":
    case "commitTs":
      return isTimestampLike(value, validator.type) ? null : noMatch(validator, value, path);
    case "literal":
      return sameLiteral(validator.value, value) ? null : literalMismatch(validator.value, value, path);
    case "id":
      return checkId(validator, value, tableOf, path);
    case "array":
      if (!Array.isArray(value)) return noMatch(validator, value, path);
      return first(value, (element, index) =>
        checkValue(validator.value, element, tableOf, `${path}[${index}]`),
      );
    case "record":
      if (kindOf(value) !== "object") return noMatch(validator, value, path);
      return first(
        Object.entries(value as Fields),
        ([key, each]) =>
          checkValue(validator.keys, key, tableOf, `${path}.keys()`) ??
          checkValue(validator.values.fieldType, each, tableOf, `${path}.values()`),
      );
    case "object":
      if (kindOf(value) !== "object") return noMatch(validator, value, path);
      return checkObject(validator, value as Fields, tableOf, path);
    case "union":
      return checkUnion(validator, value, tableOf, path);
    default:
      return assertNever(validator);
  }
}

function checkObject(
  validator: ObjectValidator,
  value: Fields,
  tableOf: TableOf,
  path: string,
): string | null {
  for (const field of Object.keys(validator.value).sort()) {
    const { fieldType, optional } = validator.value[field] as ObjectValidator["value"][string];
    if (!Object.hasOwn(value, field)) {
      if (optional) continue;
      const advice = "Consider wrapping the field validator in `v.optional(...)` if this is expected.";
      return described(`Object is missing the required field \`${field}\`. ${advice}`, path, [
        `Object: ${formatValue(value)}`,
        `Validator: ${formatValidator(validator)}`,
      ]);
    }
    const problem = checkValue(fieldType, value[field] as JSONValue, tableOf, `${path}.${field}`);
    if (problem !== null) return problem;
  }
  const extra = Object.keys(value).find((field) => !Object.hasOwn(validator.value, field));
  if (extra === undefined) return null;
  return described(`Object contains extra field \`${extra}\` that is not in the validator.`, path, [
    `Object: ${formatValue(value)}`,
    `Validator: ${formatValidator(validator)}`,
  ]);
}

function checkUnion(
  validator: Extract<ValidatorJson, { type: "union" }>,
  value: JSONValue,
  tableOf: TableOf,
  path: string,
): string | null {
  const [only, ...others] = validator.value;
  if (only !== undefined && others.length === 0) return checkValue(only, value, tableOf, path);
  const fits = validator.value.some((member) => checkValue(member, value, tableOf, path) === null);
  return fits ? null : noMatch(validator, value, path);
}

function checkId(
  validator: Extract<ValidatorJson, { type: "id" }>,
  value: JSONValue,
  tableOf: TableOf,
  path: string,
): string | null {
  const table = typeof value === "string" ? tableOf(value) : null;
  if (table === null) return noMatch(validator, value, path);
  if (table === validator.tableName) return null;
  const origin = table.startsWith("_") ? "a system table" : `table \`${table}\``;
  const expected = `\`${formatValidator(validator)}\``;
  const problem = `Found ID "${value as string}" from ${origin}, which does not match the table name in validator ${expected}.`;
  return problem + pathLine(path);
}

function isTimestampLike(value: JSONValue, type: "bigint" | "commitTs"): boolean {
  const kind = kindOf(value);
  return kind === "bigint" || (type === "commitTs" && kind === "commitTs");
}

// Literals are primitives, so their JSON encodings are equal exactly when they are.
function sameLiteral(literal: JSONValue, value: JSONValue): boolean {
  return literal === value || JSON.stringify(literal) === JSON.stringify(value);
}

function literalMismatch(literal: JSONValue, value: JSONValue, path: string): string {
  const validator = `v.literal(${formatLiteral(literal)})`;
  return `\`${formatValue(value)}\` does not match literal validator \`${validator}\`.${pathLine(path)}`;
}

function noMatch(validator: ValidatorJson, value: JSONValue, path: string): string {
  return described("Value does not match validator.", path, [
    `Value: ${formatValue(value)}`,
    `Validator: ${formatValidator(validator)}`,
  ]);
}

function described(problem: string, path: string, details: readonly string[]): string {
  return [problem, pathLine(path), ...details].join("\n");
}

function pathLine(path: string): string {
  return path === "" ? "" : `Path: ${path}`;
}

function first<T>(items: readonly T[], check: (item: T, index: number) => string | null): string | null {
  for (const [index, item] of items.entries()) {
    const problem = check(item, index);
    if (problem !== null) return problem;
  }
  return null;
}
