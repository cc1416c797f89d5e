import type { Value } from "convex/values";
import type { KeyRange } from "./index-range.ts";
import { decodeBound, type DecodedBound } from "./key-decoding.ts";

const maxValueLength = 64;

/**
 * Describes an index range for people. `by_lane["m", "ready"]` means all keys that begin with these values;
 * `by_lane["m", 3] .. ["m", 9]` all between, both ends included. An excluded end is marked `after` or `before`.
 */
export function describeRange(index: string, { lower, upper }: Pick<KeyRange, "lower" | "upper">): string {
  const from = decodeBound(lower);
  const to = upper === null ? null : decodeBound(upper);
  if (from === null || (upper !== null && to === null)) return `${index}[?]`;
  if (to === null) return from.values.length === 0 ? `${index}[]` : `${index}${startOf(from)} ..`;
  const isOnePrefix = from.place === "prefix" && to.place !== "prefix" && listOf(from) === listOf(to);
  return isOnePrefix ? index + listOf(from) : `${index}${startOf(from)} .. ${endOf(to)}`;
}

function startOf(bound: DecodedBound): string {
  return bound.place === "prefix" ? listOf(bound) : ` after ${listOf(bound)}`;
}

function endOf(bound: DecodedBound): string {
  return bound.place === "prefix" ? `before ${listOf(bound)}` : listOf(bound);
}

function listOf({ values }: DecodedBound): string {
  return `[${values.map((value) => shortened(textOf(value))).join(", ")}]`;
}

function textOf(value: Value | undefined): string {
  switch (typeof value) {
    case "undefined":
      return "undefined";
    case "bigint":
      return `${value}n`;
    case "number":
      return Object.is(value, -0) ? "-0" : String(value);
    case "object":
      if (value === null) return "null";
      if (value instanceof ArrayBuffer) return `bytes(${value.byteLength})`;
      if (Array.isArray(value)) return `[${value.map(textOf).join(", ")}]`;
      return `{${Object.entries(value as { readonly [field: string]: Value | undefined })
        .map(([field, inner]) => `${field}: ${textOf(inner)}`)
        .join(", ")}}`;
    default:
      return JSON.stringify(value);
  }
}

function shortened(text: string): string {
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text;
}
