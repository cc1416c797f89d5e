import { recordOf } from "../../json.ts";
import type { JsonSchema } from "./schema-rules.ts";

/**
 * The beginnings of a schema's objects and lists: "[", "{" for an object without named properties, or the name of the first
 * property in JSON. With a property's constants, or null if it can have other values.
 */
type Beginnings = ReadonlyMap<string, ReadonlySet<unknown> | null>;

/** More names or constants are not compared. */
const mostCompared = 50;

/**
 * Whether two alternatives of a choice may both go on into an object or a list. Such choices multiply if references nest them
 * in each other. In others, the bracket, the name of the first property or its constant tells the alternatives apart.
 */
export function hasNestedChoices(schema: JsonSchema): boolean {
  const definitions = recordOf(schema["$defs"]);
  const known = new Map<string, Beginnings | null>();
  const ofReference = (name: string): Beginnings | null => {
    const before = known.get(name);
    if (before !== undefined) return before;
    // A definition that begins with itself is refused for that.
    known.set(name, new Map());
    const found = beginningsOf(definitions[name], ofReference);
    known.set(name, found);
    return found;
  };
  const isNested = (value: unknown): boolean => {
    const { properties, prefixItems, oneOf, items, additionalProperties } = recordOf(value);
    if (Array.isArray(oneOf) && beginningsOf(value, ofReference) === null) return true;
    const lists = [prefixItems, oneOf].filter((each) => Array.isArray(each)).flat() as readonly unknown[];
    const others = [items, additionalProperties].filter((each) => each !== undefined);
    return [...Object.values(recordOf(properties)), ...lists, ...others].some(isNested);
  };
  return isNested(schema) || Object.values(definitions).some(isNested);
}

/** Null if a value may begin like two of the schema's alternatives. */
function beginningsOf(value: unknown, ofReference: (name: string) => Beginnings | null): Beginnings | null {
  const schema = recordOf(value);
  if (typeof schema["$ref"] === "string") return ofReference(schema["$ref"].replace("#/$defs/", ""));
  if (schema["type"] === "array") return new Map([["[", null]]);
  if (schema["type"] === "object") return beginningOfObject(schema);
  const all = new Map<string, ReadonlySet<unknown> | null>();
  for (const each of Array.isArray(schema["oneOf"]) ? schema["oneOf"] : []) {
    const beginnings = beginningsOf(each, ofReference);
    if (beginnings === null) return null;
    for (const [begin, constants] of beginnings) {
      const before = all.get(begin);
      if (before === undefined) all.set(begin, constants);
      else if (before === null || constants === null || [...constants].some((each) => before.has(each)))
        return null;
      else all.set(begin, new Set([...before, ...constants]));
      if ((all.get(begin)?.size ?? 0) > mostCompared || all.size > mostCompared) return null;
    }
  }
  const objects = all.has("[") ? all.size - 1 : all.size;
  return all.has("{") && objects > 1 ? null : all;
}

function beginningOfObject(schema: JsonSchema): Beginnings {
  const [first] = Object.entries(recordOf(schema["properties"]));
  if (first === undefined) return new Map([["{", null]]);
  const [name, value] = first;
  const { enum: constants, const: constant } = recordOf(value);
  const all: readonly unknown[] = Array.isArray(constants)
    ? constants
    : constant === undefined
      ? []
      : [constant];
  const areFew = all.length > 0 && all.length <= mostCompared;
  return new Map([[JSON.stringify(name), areFew ? new Set(all) : null]]);
}
