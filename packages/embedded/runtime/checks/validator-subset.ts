import type { ObjectField, ValidatorJson } from "./validator-json.ts";
import { kindOf } from "./value-kind.ts";

/**
 * Whether every value that fits the first validator also fits the second one, by Convex's rules. It may say no although it is so,
 * but never yes although it is not.
 */
export function isSubset(inner: ValidatorJson, outer: ValidatorJson): boolean {
  if (outer.type === "any") return true;
  if (inner.type === "union") return inner.value.every((member) => isSubset(member, outer));
  if (outer.type === "union")
    return outer.value.some((member) => isSubset(inner, member)) || isBoth(inner, outer.value);
  switch (inner.type) {
    case "array":
      return outer.type === "array" && isSubset(inner.value, outer.value);
    case "record":
      return (
        outer.type === "record" &&
        isSubset(inner.keys, outer.keys) &&
        isFieldSubset(inner.values, outer.values)
      );
    case "object":
      return outer.type === "object" && isObjectSubset(inner.value, outer.value);
    case "literal":
      return outer.type === "literal"
        ? isSameLiteral(inner.value, outer.value)
        : outer.type === kindOf(inner.value);
    case "id":
      return outer.type === "string" || (outer.type === "id" && outer.tableName === inner.tableName);
    default:
      return outer.type === inner.type;
  }
}

type Fields = { readonly [field: string]: ObjectField };

function isObjectSubset(inner: Fields, outer: Fields): boolean {
  const isKnown = Object.keys(inner).every((name) => Object.hasOwn(outer, name));
  return (
    isKnown &&
    Object.entries(outer).every(([name, field]) => {
      const own = Object.hasOwn(inner, name) ? inner[name] : undefined;
      return own === undefined ? field.optional : isFieldSubset(own, field);
    })
  );
}

function isFieldSubset(inner: ObjectField, outer: ObjectField): boolean {
  return (outer.optional || !inner.optional) && isSubset(inner.fieldType, outer.fieldType);
}

/** Whether a boolean fits a union of both literals. */
function isBoth(inner: ValidatorJson, members: readonly ValidatorJson[]): boolean {
  const has = (value: boolean): boolean =>
    members.some((each) => each.type === "literal" && each.value === value);
  return inner.type === "boolean" && has(true) && has(false);
}

function isSameLiteral(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
