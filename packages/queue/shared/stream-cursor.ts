import { jsonToConvex, type JSONValue } from "convex/values";

/** Whether a text can be a cursor of a stream of convex-helpers: a list of the values of an index, as JSON. */
export function isStreamCursor(text: string): boolean {
  try {
    return Array.isArray(jsonToConvex(JSON.parse(text) as JSONValue));
  } catch {
    return false;
  }
}
