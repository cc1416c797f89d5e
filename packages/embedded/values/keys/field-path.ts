import { jsonToConvex, type JSONValue, type Value } from "convex/values";

/** Looks up "a.b" in a document in Convex's JSON encoding. Undefined when a step is missing or not an object. */
export function fieldAt(
  document: { readonly [field: string]: JSONValue },
  path: string,
): JSONValue | undefined {
  if (!path.includes(".")) return Object.hasOwn(document, path) ? document[path] : undefined;
  let current: JSONValue | undefined = document;
  for (const step of path.split(".")) {
    if (!isPlainObject(current) || !Object.hasOwn(current, step)) return undefined;
    current = current[step];
  }
  return current;
}

/** The decoded value of "a.b" in a document. Undefined when the field is missing. */
export function valueAt(document: { readonly [field: string]: JSONValue }, path: string): Value | undefined {
  const json = fieldAt(document, path);
  return json === undefined ? undefined : jsonToConvex(json);
}

// `{"$integer": …}` and similar are values, not objects with fields. Field names never start with "$".
function isPlainObject(json: JSONValue | undefined): json is { [field: string]: JSONValue } {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
