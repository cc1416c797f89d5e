import type { JSONValue, Value } from "convex/values";
import { decodeOperand } from "../json-operand.ts";
import { emptyKey, type Key, prefixEnd } from "./key.ts";
import { encodeKey } from "./key-encoding.ts";

/** A half-open range of encoded keys in one index. `upper: null` means unbounded. */
export type KeyRange = {
  readonly table: string;
  /** "by_id", "by_creation_time" or a declared index. */
  readonly index: string;
  readonly lower: Key;
  readonly upper: Key | null;
};

/** One comparison of `withIndex`, as the convex package serializes it. */
export type RangeExpression = {
  readonly type: "Eq" | "Gt" | "Gte" | "Lt" | "Lte";
  readonly fieldPath: string;
  /** Convex's JSON encoding, `{"$undefined": null}` for a missing field. */
  readonly value: JSONValue;
};

/** The index that a range is built for: its key fields in order, `_creationTime` and `_id` included. */
type RangeTarget = {
  readonly table: string;
  readonly index: string;
  readonly keyFields: readonly string[];
  /** How errors show a value; as JSON by default. */
  readonly format?: (value: JSONValue) => string;
};

/** The comparisons do not fit the index. The message is the one that a Convex client sees. */
export class IndexRangeError extends Error {
  override readonly name = "IndexRangeError";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

type Bound = { readonly value: Value | undefined; readonly inclusive: boolean };
type Comparisons = {
  readonly equalities: ReadonlyMap<string, Value | undefined>;
  readonly inequality: string | null;
  readonly lower: Bound | null;
  readonly upper: Bound | null;
};

const docs = "For more information see https://docs.convex.dev/using/indexes.";
const comparators = { Eq: "==", Gt: ">", Gte: ">=", Lt: "<", Lte: "<=" } as const;

/** The whole of an index. */
export function fullRange(table: string, index: string): KeyRange {
  return { table, index, lower: emptyKey, upper: null };
}

/**
 * Turns comparisons into a range of encoded keys. Equalities may come in any order but must cover the first
 * fields of the index; one more field may be bounded on either side. Throws IndexRangeError otherwise.
 */
export function toKeyRange(target: RangeTarget, expressions: readonly RangeExpression[]): KeyRange {
  const comparisons = split(target, expressions);
  const prefix = orderedEqualities(target, comparisons);
  const prefixKey = encodeKey(prefix);
  const { lower, upper } = comparisons;
  return {
    table: target.table,
    index: target.index,
    lower: lower === null ? prefixKey : boundKey(prefix, lower, !lower.inclusive),
    upper:
      upper !== null
        ? boundKey(prefix, upper, upper.inclusive)
        : prefix.length > 0
          ? prefixEnd(prefixKey)
          : null,
  };
}

/** The key just below or above all keys with the bound's value. */
function boundKey(prefix: readonly (Value | undefined)[], bound: Bound, above: boolean): Key {
  const key = encodeKey([...prefix, bound.value]);
  return above ? prefixEnd(key) : key;
}

function split(target: RangeTarget, expressions: readonly RangeExpression[]): Comparisons {
  const equalities = new Map<string, Value | undefined>();
  let inequality: string | null = null;
  let lower: Bound | null = null;
  let upper: Bound | null = null;
  for (const expression of expressions) {
    const { type, fieldPath } = expression;
    const value = decodeOperand(expression.value);
    if (type === "Eq") {
      if (equalities.has(fieldPath)) throw alreadyDefined(target, "equality", expression);
      equalities.set(fieldPath, value);
      continue;
    }
    const isLower = type === "Gt" || type === "Gte";
    if ((isLower ? lower : upper) !== null)
      throw alreadyDefined(target, isLower ? "lower" : "upper", expression);
    if (inequality !== null && inequality !== fieldPath) throw twoFields(target, inequality, fieldPath);
    inequality = fieldPath;
    const bound = { value, inclusive: type === "Gte" || type === "Lte" };
    if (isLower) lower = bound;
    else upper = bound;
  }
  const both = expressions.find((each) => each.type === "Eq" && each.fieldPath === inequality);
  if (both !== undefined) throw alreadyDefined(target, "inequality", both);
  return { equalities, inequality, lower, upper };
}

function orderedEqualities(
  target: RangeTarget,
  { equalities, inequality }: Comparisons,
): (Value | undefined)[] {
  // The usual case: equalities in the index's order.
  const inOrder = [...equalities.keys()];
  if (inequality !== null) inOrder.push(inequality);
  if (inOrder.every((field, position) => field === target.keyFields[position]))
    return [...equalities.values()];
  const rank = (field: string): number => target.keyFields.indexOf(field);
  const used = [...equalities.keys()].sort((a, b) => rank(a) - rank(b));
  if (inequality !== null) used.push(inequality);
  for (const field of used) if (rank(field) < 0) throw notIndexed(target, field);
  const wrong = used.find((field, position) => rank(field) !== position);
  if (wrong !== undefined) throw outOfOrder(target, used, wrong);
  return used.slice(0, equalities.size).map((field) => equalities.get(field));
}

function alreadyDefined(
  { format = JSON.stringify }: RangeTarget,
  bound: string,
  { type, fieldPath, value }: RangeExpression,
): IndexRangeError {
  const added = `"${fieldPath}" ${comparators[type]} ${format(value)}`;
  const message = `Already defined ${bound} bound in index range. Can't add ${added}.`;
  return new IndexRangeError("AlreadyDefinedBound", message);
}

function twoFields({ table, index }: RangeTarget, first: string, second: string): IndexRangeError {
  return new IndexRangeError(
    "BoundsOnMultipleFields",
    "Upper and lower bounds in `range` can only be applied to a single index field. This query against index " +
      `${table}.${index} attempted to set a range bound on both "${first}" and "${second}". ` +
      "Consider using `filter` instead. See https://docs.convex.dev/using/indexes for more info.",
  );
}

function notIndexed(target: RangeTarget, field: string): IndexRangeError {
  return new IndexRangeError(
    "FieldNotInIndex",
    `The index range included a comparison with "${field}", but ${target.table}.${target.index} with fields ` +
      `${list(publicFields(target))} doesn't index this field. ${docs}`,
  );
}

function outOfOrder(target: RangeTarget, used: readonly string[], wrong: string): IndexRangeError {
  return new IndexRangeError(
    "InvalidIndexRange",
    `Tried to query index ${target.table}.${target.index} but the query didn't use the index fields in order.\n` +
      `Index fields: ${list(publicFields(target))}\n` +
      `Query fields: ${list(used)}\n` +
      `First incorrect field: ${wrong}\n${docs}`,
  );
}

// Convex does not list the `_id` that every index ends with.
function publicFields({ keyFields }: RangeTarget): readonly string[] {
  return keyFields.filter((field) => field !== "_id");
}

function list(fields: readonly string[]): string {
  return `[${fields.map((field) => JSON.stringify(field)).join(", ")}]`;
}
