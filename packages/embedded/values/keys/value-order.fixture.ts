import type { Value } from "convex/values";
import fc from "fast-check";

type MaybeValue = Value | undefined;

/** Values of every type, with strings and numbers that collide often enough to be compared. */
export const anyValue: fc.Arbitrary<Value> = fc.letrec<{ value: Value; leaf: Value }>((tie) => ({
  leaf: fc.oneof(
    fc.constant(null),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.bigInt({ min: -2n, max: 2n }),
    fc.double(),
    fc.integer({ min: -2, max: 2 }),
    fc.constant(-0),
    fc.boolean(),
    fc.string({ unit: "binary", maxLength: 4 }),
    fc.string({ unit: fc.constantFrom("\0", "\u0001", "a", "\uffff", "😀"), maxLength: 3 }),
    fc.array(fc.constantFrom(0, 1, 255), { maxLength: 3 }).map((bytes) => Uint8Array.from(bytes).buffer),
  ),
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    tie("leaf"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "aa"), tie("value"), { maxKeys: 3 }) as fc.Arbitrary<Value>,
  ),
})).value;

/** The order of Convex's types and values, in the simplest form. */
export function compareValues(left: MaybeValue, right: MaybeValue): number {
  const byType = rank(left) - rank(right);
  if (byType !== 0 || left === undefined || left === null) return byType;
  if (typeof left === "string") return Buffer.compare(Buffer.from(left), Buffer.from(right as string));
  if (typeof left === "number") return compareNumbers(left, right as number);
  if (left instanceof ArrayBuffer)
    return Buffer.compare(Buffer.from(left), Buffer.from(right as ArrayBuffer));
  if (Array.isArray(left)) return compareTuples(left, right as Value[]);
  if (typeof left === "object") return compareTuples(flat(left), flat(right as object));
  const other = right as bigint | boolean;
  return left < other ? -1 : left > other ? 1 : 0;
}

/** Compares element by element. A prefix sorts before longer tuples. */
export function compareTuples(left: readonly MaybeValue[], right: readonly MaybeValue[]): number {
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = compareValues(left[i], right[i]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function rank(value: MaybeValue): number {
  if (value === undefined) return 0;
  if (value === null) return 1;
  if (value instanceof ArrayBuffer) return 6;
  if (Array.isArray(value)) return 7;
  return { bigint: 2, number: 3, boolean: 4, string: 5, object: 8 }[
    typeof value as "bigint" | "number" | "boolean" | "string" | "object"
  ];
}

function compareNumbers(left: number, right: number): number {
  if (Number.isNaN(left) || Number.isNaN(right))
    return Number(Number.isNaN(left)) - Number(Number.isNaN(right));
  if (left === 0 && right === 0) return Number(Object.is(right, -0)) - Number(Object.is(left, -0));
  return left - right || 0;
}

function flat(object: object): Value[] {
  const entries = Object.entries(object) as [string, Value][];
  return entries.sort(([a], [b]) => (a < b ? -1 : 1)).flat();
}
