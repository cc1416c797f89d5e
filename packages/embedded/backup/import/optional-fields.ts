import type { JSONValue } from "convex/values";
import type { ValidatorJson } from "../../runtime/checks/validator-json.ts";

/** A CSV row without the optional fields whose cells are empty: CSV has no other way to leave one out. */
export function withoutEmptyOptional(row: JSONValue, validator: ValidatorJson | undefined): JSONValue {
  if (typeof row !== "object" || row === null || Array.isArray(row) || validator?.type !== "object")
    return row;
  const isLeftOut = ([name, value]: [string, JSONValue | undefined]): boolean =>
    value === "" && validator.value[name]?.optional === true;
  return Object.fromEntries(Object.entries(row).filter((field) => !isLeftOut(field)));
}
