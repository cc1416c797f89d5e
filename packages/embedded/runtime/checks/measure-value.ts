import type { JSONValue } from "convex/values";
import { fieldNameProblem } from "./identifier.ts";
import { limits } from "./limits.ts";
import { kindOf } from "./value-kind.ts";

/** A value's size in bytes as Convex counts it, or the reason why it may not be stored or passed. */
type Measured =
  | {
      readonly kind: "fits";
      readonly bytes: number;
      /** Nesting depth of objects and arrays, including the value itself. */
      readonly nesting: number;
    }
  | { readonly kind: "refused"; readonly reason: string };

class Refusal extends Error {}

/** Caches valid field names, since the same names recur. */
const goodNames = new Set<string>();
const maxGoodNames = 1_000;

const notBase64 = /[^A-Za-z0-9+/]/;
const eightBytesInBase64 = 12;

/**
 * Checks shape, nesting, field names, array lengths and size of a value in Convex's JSON encoding, in one pass.
 * `around` is the number of objects and arrays around the value.
 */
export function measureValue(value: JSONValue, around = 0): Measured {
  const walk: Walk = { deepest: around };
  try {
    const bytes = sizeOf(value, around, walk);
    return { kind: "fits", bytes, nesting: walk.deepest - around };
  } catch (error) {
    if (error instanceof Refusal) return { kind: "refused", reason: error.message };
    throw error;
  }
}

type Walk = { deepest: number };

function sizeOf(value: JSONValue, depth: number, walk: Walk): number {
  switch (kindOf(value)) {
    case "null":
    case "boolean":
      return 1;
    case "string":
      return stringSize(value as string);
    case "number":
      if (typeof value !== "number") requireEightBytes((value as { $float: JSONValue }).$float, "$float");
      return 9;
    case "bigint":
      requireEightBytes((value as { $integer: JSONValue }).$integer, "$integer");
      return 9;
    case "bytes":
      return bytesSize((value as { $bytes: JSONValue }).$bytes);
    case "commitTs":
      return 9;
    case "array":
      return arraySize(value as readonly JSONValue[], depth + 1, walk);
    case "object":
      return objectSize(value as { readonly [field: string]: JSONValue }, depth + 1, walk);
  }
}

// Convex's strings are UTF-8, which lacks lone surrogates. Storing would turn all of them into the same character.
function stringSize(value: string): number {
  if (!value.isWellFormed()) throw new Refusal("String is not valid Unicode: it has a lone surrogate");
  return 2 + Buffer.byteLength(value);
}

function enter(depth: number, walk: Walk): void {
  if (depth > limits.valueNesting) {
    throw new Refusal(
      `Value is too nested (nested ${depth} levels deep > maximum nesting ${limits.valueNesting})`,
    );
  }
  walk.deepest = Math.max(walk.deepest, depth);
}

function arraySize(elements: readonly JSONValue[], depth: number, walk: Walk): number {
  enter(depth, walk);
  const { length } = elements;
  if (length > limits.arrayLength) {
    throw new Refusal(`Array length is too long (${length} > maximum length ${limits.arrayLength})`);
  }
  return elements.reduce<number>((total, element) => total + sizeOf(element, depth, walk), 2);
}

function objectSize(fields: { readonly [field: string]: JSONValue }, depth: number, walk: Walk): number {
  enter(depth, walk);
  const names = Object.keys(fields);
  if (names.length > limits.objectFields) {
    throw new Refusal(`Object has too many fields (${names.length} > maximum number ${limits.objectFields})`);
  }
  let total = 2;
  for (const name of names) {
    requireFieldName(name);
    total += name.length + 1 + sizeOf(fields[name] as JSONValue, depth, walk);
  }
  return total;
}

function requireFieldName(name: string): void {
  if (goodNames.has(name)) return;
  const problem = fieldNameProblem(name);
  if (problem !== null) throw new Refusal(problem);
  if (goodNames.size >= maxGoodNames) goodNames.clear();
  goodNames.add(name);
}

function requireEightBytes(encoded: JSONValue, field: string): void {
  if (typeof encoded === "string" && encoded.length === eightBytesInBase64 && isBase64(encoded)) return;
  throw new Refusal(`Malformed ${field} field`);
}

function bytesSize(encoded: JSONValue): number {
  if (typeof encoded !== "string" || !isBase64(encoded)) throw new Refusal("Malformed $bytes field");
  return 2 + Buffer.byteLength(encoded, "base64");
}

// A pattern that matches the whole text would keep every step on its stack and overflow at a few megabytes.
function isBase64(text: string): boolean {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return text.length % 4 === 0 && !notBase64.test(text.slice(0, text.length - padding));
}
