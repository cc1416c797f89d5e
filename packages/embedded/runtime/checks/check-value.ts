import type { JSONValue } from "convex/values";
import { assertNever } from "../../values/assert-never.ts";
import { formatLiteral, formatValidator, formatValue } from "./format-value.ts";
import type { TableOf, ValidatorJson } from "./validator-json.ts";
import { kindOf } from "./value-kind.ts";

type ObjectValidator = Extract<ValidatorJson, { type: "object" }>;
type Fields = { readonly [field: string]: JSONValue };

/**
 * Formats the problem with the value at a path. Created lazily: most mismatches are a union's other members
 * and are never shown.
 */
type Problem = (path: string) => string;

/** Checks a value against a validator. Returns null if it fits, otherwise the problem in Convex's words. */
export function checkValue(validator: ValidatorJson, value: JSONValue, tableOf: TableOf): string | null {
  return problemOf(validator, value, tableOf)?.("") ?? null;
}

function problemOf(validator: ValidatorJson, value: JSONValue, tableOf: TableOf): Problem | null {
  switch (validator.type) {
    case "any":
      return null;
    case "null":
    case "number":
    case "boolean":
    case "string":
    case "bytes":
      return kindOf(value) === validator.type ? null : noMatch(validator, value);
    case "bigint":
    case "commitTs":
      return isTimestampLike(value, validator.type) ? null : noMatch(validator, value);
    case "literal":
      return sameLiteral(validator.value, value) ? null : literalMismatch(validator.value, value);
    case "id":
      return checkId(validator, value, tableOf);
    case "array":
      if (!Array.isArray(value)) return noMatch(validator, value);
      return first(value, (element, index) =>
        within(problemOf(validator.value, element, tableOf), `[${index}]`),
      );
    case "record":
      if (kindOf(value) !== "object") return noMatch(validator, value);
      return first(
        Object.entries(value as Fields),
        ([key, each]) =>
          within(problemOf(validator.keys, key, tableOf), ".keys()") ??
          within(problemOf(validator.values.fieldType, each, tableOf), ".values()"),
      );
    case "object":
      if (kindOf(value) !== "object") return noMatch(validator, value);
      return checkObject(validator, value as Fields, tableOf);
    case "union":
      return checkUnion(validator, value, tableOf);
    default:
      return assertNever(validator);
  }
}

const sortedFields = new WeakMap<ObjectValidator, readonly string[]>();

function fieldsOf(validator: ObjectValidator): readonly string[] {
  let fields = sortedFields.get(validator);
  if (fields === undefined) {
    fields = Object.keys(validator.value).sort();
    sortedFields.set(validator, fields);
  }
  return fields;
}

function checkObject(validator: ObjectValidator, value: Fields, tableOf: TableOf): Problem | null {
  let known = 0;
  for (const field of fieldsOf(validator)) {
    const { fieldType, optional } = validator.value[field] as ObjectValidator["value"][string];
    if (!Object.hasOwn(value, field)) {
      if (optional) continue;
      const advice = "Consider wrapping the field validator in `v.optional(...)` if this is expected.";
      return described(
        `Object is missing the required field \`${field}\`. ${advice}`,
        "Object",
        validator,
        value,
      );
    }
    known += 1;
    const problem = problemOf(fieldType, value[field] as JSONValue, tableOf);
    if (problem !== null) return within(problem, `.${field}`);
  }
  const fields = Object.keys(value);
  if (fields.length === known) return null;
  const extra = fields.find((field) => !Object.hasOwn(validator.value, field));
  if (extra === undefined) return null;
  const problem = `Object contains extra field \`${extra}\` that is not in the validator.`;
  return described(problem, "Object", validator, value);
}

function checkUnion(
  validator: Extract<ValidatorJson, { type: "union" }>,
  value: JSONValue,
  tableOf: TableOf,
): Problem | null {
  const [only, ...others] = validator.value;
  if (only !== undefined && others.length === 0) return problemOf(only, value, tableOf);
  const fits = validator.value.some((member) => problemOf(member, value, tableOf) === null);
  return fits ? null : noMatch(validator, value);
}

function checkId(
  validator: Extract<ValidatorJson, { type: "id" }>,
  value: JSONValue,
  tableOf: TableOf,
): Problem | null {
  const table = typeof value === "string" ? tableOf(value) : null;
  if (table === null) return noMatch(validator, value);
  if (table === validator.tableName) return null;
  return (path) => {
    const origin = table.startsWith("_") ? "a system table" : `table \`${table}\``;
    const expected = `\`${formatValidator(validator)}\``;
    const problem = `Found ID "${value as string}" from ${origin}, which does not match the table name in validator ${expected}.`;
    return problem + pathLine(path);
  };
}

function isTimestampLike(value: JSONValue, type: "bigint" | "commitTs"): boolean {
  const kind = kindOf(value);
  return kind === "bigint" || (type === "commitTs" && kind === "commitTs");
}

// Literals are primitives: they are equal exactly if their JSON encodings are.
function sameLiteral(literal: JSONValue, value: JSONValue): boolean {
  return literal === value || JSON.stringify(literal) === JSON.stringify(value);
}

function literalMismatch(literal: JSONValue, value: JSONValue): Problem {
  return (path) => {
    const validator = `v.literal(${formatLiteral(literal)})`;
    return `\`${formatValue(value)}\` does not match literal validator \`${validator}\`.${pathLine(path)}`;
  };
}

function noMatch(validator: ValidatorJson, value: JSONValue): Problem {
  return described("Value does not match validator.", "Value", validator, value);
}

function described(problem: string, what: string, validator: ValidatorJson, value: JSONValue): Problem {
  return (path) =>
    [
      problem,
      pathLine(path),
      `${what}: ${formatValue(value)}`,
      `Validator: ${formatValidator(validator)}`,
    ].join("\n");
}

function within(problem: Problem | null, step: string): Problem | null {
  return problem === null ? null : (path) => problem(path + step);
}

function pathLine(path: string): string {
  return path === "" ? "" : `Path: ${path}`;
}

function first<T>(items: readonly T[], check: (item: T, index: number) => Problem | null): Problem | null {
  for (const [index, item] of items.entries()) {
    const problem = check(item, index);
    if (problem !== null) return problem;
  }
  return null;
}
