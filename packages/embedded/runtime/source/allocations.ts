import type {
  AnyNode,
  AssignmentExpression,
  BinaryExpression,
  CallExpression,
  Expression,
  Literal,
  NewExpression,
  Node,
  Pattern,
  SpreadElement,
  Super,
} from "acorn";
import { safeLength, safeLengthsOf } from "./backtracking.ts";
import { makesPatterns, type PatternNames } from "./pattern-names.ts";

/** The call of `Reserve` that precedes an allocation: the code around the value that says how much it needs. */
export type Allocation = { readonly value: Node; readonly before: string; readonly after: string };

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

/** They have further arguments. A typed array with several arguments shows a part of a buffer. */
const withOptions = new Set(["AggregateError", "ArrayBuffer", "SharedArrayBuffer"]);

/** The functions of `Reserve` for the first argument of other built-in constructors. */
const reserveOf: Readonly<Record<string, string>> = {
  Set: "keys",
  Map: "keys",
  WeakSet: "spread",
  WeakMap: "spread",
  AggregateError: "spread",
};

/**
 * How code says what it needs, where it makes a list, a buffer or a number of a length that could be large; null for other
 * calls. V8 compiles `Array` into the code of its callers, and its prototype refers to it, so we cannot replace it.
 */
export function allocationOf({ callee, arguments: args }: CallExpression | NewExpression): Allocation | null {
  const [value, ...others] = args;
  if (callee.type !== "Identifier" || value === undefined || isSmall(value)) return null;
  const { name } = callee;
  if (name === "Promise") return { value, before: "(++__convexFuel[1],", after: ")" };
  if (others.length > 0 && !withOptions.has(name)) return null;
  if (name === "Array") return { value, before: "__convexLength(", after: ")" };
  if (Object.hasOwn(reserveOf, name)) return reserved(value, reserveOf[name] as string);
  if (!Object.hasOwn(bytesOfEach, name)) return null;
  return { value, before: "__convexReserve.buffer(", after: `,${String(bytesOfEach[name])})` };
}

/** How code tells of a regular expression that may take long even in a short text; null for other values. */
export function watchedPattern(
  node: CallExpression | NewExpression | Literal,
  names: PatternNames,
): Allocation | null {
  const isRisky =
    node.type === "Literal"
      ? node.regex != null && safeLengthsOf(node.regex.pattern, node.regex.flags).all < safeLength
      : !isInChain(node) && (makesPatterns(node.callee, names) || constructsPattern(node, names));
  return isRisky ? reserved(node, "pattern") : null;
}

/** A call around a part of an optional chain would end the chain there. */
function isInChain(node: CallExpression | NewExpression): boolean {
  return node.type === "CallExpression" && (node.optional || isOptional(node.callee));
}

function constructsPattern(
  { callee, arguments: [made] }: CallExpression | NewExpression,
  names: PatternNames,
): boolean {
  return (
    callee.type === "MemberExpression" &&
    callee.property.type === "Identifier" &&
    callee.property.name === "construct" &&
    made !== undefined &&
    makesPatterns(made, names)
  );
}

/** Whether code makes big integers itself, so that its products may be some. */
export function makesBigIntegers(code: string): boolean {
  return /\bBigInt\b|\b(?:0[xob][\da-f_]+|\d[\d_]*)n\b/i.test(code);
}

/** An expression that becomes a call of a function, with its two parts as arguments. */
export type AsCall = {
  readonly before: string;
  /** The positions between the parts: of a dot and a name, or of an operator. A comma and blanks take their place. */
  readonly from: number;
  readonly to: number;
};

/** How code matches a text that may be long; null for other calls. A regular expression's own `exec` would be much slower. */
export function matchingOf(node: CallExpression, code: string): AsCall | null {
  const { callee, arguments: args } = node;
  const [text] = args;
  if (callee.type !== "MemberExpression" || callee.computed || callee.property.type !== "Identifier")
    return null;
  const { name, start, end } = callee.property;
  if (name !== "test" && name !== "exec") return null;
  if (text === undefined || args.length > 1 || text.type === "SpreadElement" || text.type === "Literal")
    return null;
  if (node.optional || callee.optional || !mayMatchLong(callee.object)) return null;
  if (code.slice(text.end, node.end).includes(",")) return null;
  return {
    before: name === "test" ? "__convexTest(" : "__convexExec(",
    from: code.lastIndexOf(".", start),
    to: end,
  };
}

function mayMatchLong(object: Expression | Super): boolean {
  if (object.type === "Literal")
    return object.regex != null && safeLengthsOf(object.regex.pattern, object.regex.flags).one < Infinity;
  return object.type !== "Super" && !isOptional(object);
}

/** Whether an optional chain may skip all that follows. */
function isOptional(node: Expression | Super): boolean {
  if (node.type === "MemberExpression") return node.optional || isOptional(node.object);
  return node.type === "CallExpression" && (node.optional || isOptional(node.callee));
}

/** How a power says what it needs if it is one of a big integer; null for other operations. */
export function powerOf({ operator, left, right }: BinaryExpression, code: string): AsCall | null {
  if (operator !== "**" || isNumber(left) || isNumber(right)) return null;
  const from = code.indexOf("**", left.end);
  return { before: "__convexPower(", from, to: from + operator.length };
}

/**
 * The same for a shift, for a product, and for an assignment of one of them: no other operation makes a number grow so fast. If one
 * factor is not large, a product grows slowly. A shift of other values says nothing, since hash functions have so many that V8 would
 * compile them into slower code.
 * @param mayBeBig whether the products of other values than a square may be big integers
 */
export function allocationOfBits(
  { operator, left, right }: AssignmentExpression | BinaryExpression,
  mayBeBig: boolean,
): Allocation | null {
  const isBig = isBigInteger(left) || isBigInteger(right);
  if ((operator === "<<" || operator === "<<=") && isBig)
    return { value: right, before: "__convexReserve.bits(", after: ")" };
  if (operator === "**=" && left.type === "Identifier" && !isNumber(right))
    return { value: right, before: `__convexExponent(${left.name},`, after: ")" };
  if ((operator !== "*" && operator !== "*=") || isNumber(left) || isNumber(right)) return null;
  const isSquare = left.type === "Identifier" && right.type === "Identifier" && right.name === left.name;
  if (!isSquare && !mayBeBig) return null;
  if (right.type === "Identifier") return factor(right, right.name);
  if (left.type !== "Identifier") return null;
  return operator === "*"
    ? factor(left, left.name)
    : {
        value: right,
        before: `(${isBigFactor(left.name)}&&__convexReserve.factor(${left.name}),`,
        after: ")",
      };
}

const isBigFactor = (name: string): string => `typeof ${name}=="bigint"`;

function factor(value: Node, name: string): Allocation {
  return { value, before: `(${isBigFactor(name)}?__convexReserve.factor(${name}):`, after: ")" };
}

/** Whether a value is surely a big integer, unless the operation throws. */
function isBigInteger(node: AnyNode): boolean {
  switch (node.type) {
    case "Literal":
      return node.bigint != null;
    case "BinaryExpression":
      return isBigInteger(node.left) || isBigInteger(node.right);
    case "UnaryExpression":
      return isBigInteger(node.argument);
    case "CallExpression":
      return node.callee.type === "Identifier" && node.callee.name === "BigInt";
    default:
      return false;
  }
}

/** Whether a value is surely no big integer, since these cannot be combined with numbers. */
function isNumber(node: AnyNode): boolean {
  switch (node.type) {
    case "Literal":
      return typeof node.value === "number";
    case "BinaryExpression":
      return isNumber(node.left) || isNumber(node.right);
    case "UnaryExpression":
      return isNumber(node.argument);
    default:
      return false;
  }
}

/**
 * How code says what `...value` needs. Null for the rest of a function's own parameters: V8 often makes no list of it.
 * @param outside the nodes around it, the innermost last
 */
export function allocationOfSpread(
  { argument }: SpreadElement,
  outside: readonly AnyNode[],
): Allocation | null {
  if (outside.at(-1)?.type === "ObjectExpression") return allocationOfNames(argument);
  return argument.type === "Identifier" && restNames(outside).includes(argument.name)
    ? null
    : reserved(argument, "spread");
}

/**
 * How code says what it needs to read all names in a value. An object has them already, but those of a text, an array and a buffer are
 * made anew.
 */
export function allocationOfNames(value: Node): Allocation {
  return { value, before: "__convexFields(", after: ")" };
}

/** How `[first, ...others] = value` says what it needs; null for other patterns. */
export function allocationOfPattern(pattern: Pattern, value: Node): Allocation | null {
  if (pattern.type !== "ArrayPattern" || pattern.elements.at(-1)?.type !== "RestElement") return null;
  return reserved(value, "spread");
}

function reserved(value: Node, name: string): Allocation {
  return { value, before: `__convexReserve.${name}(`, after: ")" };
}

function restNames(outside: readonly AnyNode[]): readonly string[] {
  return outside.flatMap((node) => {
    const last = "params" in node ? node.params.at(-1) : undefined;
    return last?.type === "RestElement" && last.argument.type === "Identifier" ? [last.argument.name] : [];
  });
}

/** An object becomes a text of any length. */
const mayBeLong = `typeof text=="string"?text.length>${String(safeLength)}:typeof text=="object"&&text!==null`;

/** An object of the class String has the names of its characters, too. */
const mayHaveIndexes =
  'typeof value=="object"&&value!==null&&(Array.isArray(value)||ArrayBuffer.isView(value)||value instanceof String)';

/** Most programs make small arrays and buffers again and again. */
const smallLength = 4_096;

/** They ask the host only for a large array or a long text, since V8 compiles them into the code. */
export const allocationChecks =
  `const __convexExponent=(base,exponent)=>typeof exponent=="bigint"?__convexReserve.exponent(base,exponent):exponent,` +
  `__convexPower=(base,exponent)=>base**__convexExponent(base,exponent);` +
  `const __convexTest=(pattern,text)=>(${mayBeLong})?__convexReserve.test(pattern,text):pattern.test(text),` +
  `__convexExec=(pattern,text)=>(${mayBeLong})?__convexReserve.exec(pattern,text):pattern.exec(text);` +
  `const __convexLength=(length)=>typeof length=="number"&&length>${String(smallLength)}?__convexReserve.array(length):length,` +
  `__convexFields=(value)=>(typeof value=="string"||${mayHaveIndexes})&&value.length>${String(smallLength)}?__convexReserve.fields(value):value;`;

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
