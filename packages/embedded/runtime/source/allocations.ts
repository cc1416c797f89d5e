import type { CallExpression, NewExpression, Node } from "acorn";

/** The call of `Reserve` that precedes an allocation: the code around its length. */
export type Allocation = { readonly length: Node; readonly before: string; readonly after: string };

const bytesOfEach: Readonly<Record<string, number>> = {
  ArrayBuffer: 1,
  SharedArrayBuffer: 1,
  Int8Array: 1,
  Uint8Array: 1,
  Uint8ClampedArray: 1,
  Int16Array: 2,
  Uint16Array: 2,
  Int32Array: 4,
  Uint32Array: 4,
  Float32Array: 4,
  Float64Array: 8,
  BigInt64Array: 8,
  BigUint64Array: 8,
};

/**
 * How code says which memory it needs, where it makes an array or a buffer of a length that could be large; null for other
 * calls. V8 compiles `Array` into the code of its callers, and its prototype refers to it, so we cannot replace it.
 */
export function allocationOf({ callee, arguments: args }: CallExpression | NewExpression): Allocation | null {
  const [length, ...others] = args;
  if (callee.type !== "Identifier" || length === undefined || others.length > 0 || isSmall(length))
    return null;
  if (callee.name === "Array") return { length, before: "__convexLength(", after: ")" };
  if (!Object.hasOwn(bytesOfEach, callee.name)) return null;
  return { length, before: "__convexReserve.buffer(", after: `,${String(bytesOfEach[callee.name])})` };
}

/** Most programs make small arrays and buffers again and again. */
const smallLength = 4_096;

/** Asks the host only for a large array, since V8 compiles this into the code. */
export const arrayLength = `const __convexLength=(length)=>typeof length=="number"&&length>${String(smallLength)}?__convexReserve.array(length):length;`;

function isSmall(length: Node & { readonly value?: unknown }): boolean {
  switch (length.type) {
    case "Literal":
      return typeof length.value !== "number" || length.value <= smallLength;
    case "ArrayExpression":
    case "SpreadElement":
      return true;
    default:
      return false;
  }
}
