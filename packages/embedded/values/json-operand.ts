import { jsonToConvex, type JSONValue, type Value } from "convex/values";

/** Whether the convex package means undefined, which is no value that it can send as JSON. */
export function isUndefinedJson(json: JSONValue | undefined): boolean {
  return typeof json === "object" && json !== null && "$undefined" in json;
}

/** Decodes a value with which a query compares fields. Undefined means that the field is absent. */
export function decodeOperand(json: JSONValue): Value | undefined {
  return isUndefinedJson(json) ? undefined : jsonToConvex(json);
}
