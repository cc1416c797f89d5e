import { compareValues, convexToJson, type JSONValue, type Value } from "convex/values";
import type { DocumentJson } from "../../engine/model/types.ts";
import { decodeOperand } from "../../values/json-operand.ts";
import { valueAt } from "../../values/keys/field-path.ts";
import { formatValue } from "../checks/format-value.ts";
import { kindOf, type ValueKind } from "../checks/value-kind.ts";
import { SyscallError } from "../execution/syscall-error.ts";

type Result = Value | undefined;
type Evaluate = (document: DocumentJson) => Result;
type Comparison = (order: number) => boolean;
type Arithmetic = {
  readonly verb: string;
  readonly number: (l: number, r: number) => number;
  readonly bigint: (l: bigint, r: bigint) => bigint;
};

const comparisons: { readonly [operator: string]: Comparison } = {
  $eq: (order) => order === 0,
  $neq: (order) => order !== 0,
  $lt: (order) => order < 0,
  $lte: (order) => order <= 0,
  $gt: (order) => order > 0,
  $gte: (order) => order >= 0,
};

const arithmeticOperators: { readonly [operator: string]: Arithmetic } = {
  $add: { verb: "add", number: (l, r) => l + r, bigint: (l, r) => l + r },
  $sub: { verb: "subtract", number: (l, r) => l - r, bigint: (l, r) => l - r },
  $mul: { verb: "multiply", number: (l, r) => l * r, bigint: (l, r) => l * r },
  $div: { verb: "divide", number: (l, r) => l / r, bigint: (l, r) => l / r },
  $mod: { verb: "mod", number: (l, r) => l % r, bigint: (l, r) => l % r },
};

/** Compiles the expression of a `.filter(…)`, as the convex package serializes it, to a predicate. */
export function compileFilter(expression: JSONValue): (document: DocumentJson) => boolean {
  return compileCondition(expression);
}

function compileCondition(expression: JSONValue): (document: DocumentJson) => boolean {
  const evaluate = compile(expression);
  return (document) => {
    const result = evaluate(document);
    if (typeof result === "boolean") return result;
    throw new SyscallError(`Cannot use value ${described(result)} as a Boolean`);
  };
}

function compile(expression: JSONValue): Evaluate {
  const [operator, operand] = onlyEntry(expression);
  if (operator === "$field") return compileField(operand);
  if (operator === "$literal") return compileLiteral(operand);
  if (operator === "$not") {
    const inner = compileCondition(operand);
    return (document) => !inner(document);
  }
  if (operator === "$neg") return compileNegation(operand);
  const operands = Array.isArray(operand) ? operand : [];
  if (operator === "$and" || operator === "$or") {
    const conditions = operands.map(compileCondition);
    return operator === "$and"
      ? (document) => conditions.every((each) => each(document))
      : (document) => conditions.some((each) => each(document));
  }
  return compileBinary(operator, operands.map(compile));
}

function compileBinary(operator: string, operands: readonly Evaluate[]): Evaluate {
  const [left, right] = operands;
  if (left === undefined || right === undefined || operands.length !== 2) throw malformed(operator);
  const comparison = comparisons[operator];
  if (comparison !== undefined) {
    return (document) => comparison(compareValues(left(document), right(document)));
  }
  const arithmetic = arithmeticOperators[operator];
  if (arithmetic === undefined) throw malformed(operator);
  return (document) => calculate(arithmetic, left(document), right(document));
}

function calculate(arithmetic: Arithmetic, left: Result, right: Result): Result {
  if (typeof left === "number" && typeof right === "number") return arithmetic.number(left, right);
  const divides = arithmetic === arithmeticOperators["$div"] || arithmetic === arithmeticOperators["$mod"];
  if (typeof left === "bigint" && typeof right === "bigint" && !(divides && right === 0n)) {
    return BigInt.asIntN(64, arithmetic.bigint(left, right));
  }
  throw new SyscallError(`Cannot ${arithmetic.verb} ${described(left)} and ${described(right)}`);
}

function compileField(path: JSONValue): Evaluate {
  if (typeof path !== "string") throw malformed("$field");
  return (document) => valueAt(document, path);
}

function compileLiteral(json: JSONValue): Evaluate {
  const value = decodeOperand(json);
  return () => value;
}

function compileNegation(operand: JSONValue): Evaluate {
  const inner = compile(operand);
  return (document) => {
    const value = inner(document);
    if (typeof value === "number") return -value;
    if (typeof value === "bigint") return BigInt.asIntN(64, -value);
    throw new SyscallError(`Cannot negate ${described(value)}`);
  };
}

const typeNames: Readonly<Record<ValueKind, string>> = {
  null: "Null",
  boolean: "Boolean",
  number: "Float64",
  bigint: "Int64",
  string: "String",
  bytes: "Bytes",
  commitTs: "Int64",
  array: "Array",
  object: "Object",
};

/** Describes a value and its type as Convex's evaluation errors do. */
function described(value: Result): string {
  if (value === undefined) return "undefined (type undefined)";
  const json = convexToJson(value);
  return `${formatValue(json)} (type ${typeNames[kindOf(json)]})`;
}

function onlyEntry(expression: JSONValue): readonly [string, JSONValue] {
  const isObject = typeof expression === "object" && expression !== null && !Array.isArray(expression);
  const [entry, ...others] = isObject ? Object.entries(expression) : [];
  if (entry?.[1] === undefined || others.length > 0) throw malformed("object");
  return [entry[0], entry[1]];
}

function malformed(what: string): SyscallError {
  return new SyscallError(`Malformed filter expression: ${what}`);
}
