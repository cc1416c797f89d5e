import { jsonToConvex, type JSONValue, type Value } from "convex/values";

/** Looks "a.b" up in a document in Convex's JSON encoding. Undefined where a step is missing or no object. */
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

/** The value of "a.b" in a document, decoded. Undefined where the field is missing. */
export function valueAt(document: { readonly [field: string]: JSONValue }, path: string): Value | undefined {
  const json = fieldAt(document, path);
  return json === undefined ? undefined : jsonToConvex(json);
}

// `{"$integer": …}` and its like are values, not objects with fields; a path never starts a step with "$".
function isPlainObject(json: JSONValue | undefined): json is { [field: string]: JSONValue } {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
