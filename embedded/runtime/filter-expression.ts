import { compareValues, jsonToConvex, type JSONValue, type Value } from "convex/values";
import type { DocumentJson } from "../engine/types.ts";
import { valueAt } from "../values/field-path.ts";
import { SyscallError } from "./syscall-error.ts";

type Result = Value | undefined;
type Evaluate = (document: DocumentJson) => Result;
type Comparison = (order: number) => boolean;
type Arithmetic = {
  readonly number: (l: number, r: number) => number;
  readonly bigint: (l: bigint, r: bigint) => bigint;
};

const COMPARISONS: { readonly [operator: string]: Comparison } = {
  $eq: (order) => order === 0,
  $neq: (order) => order !== 0,
  $lt: (order) => order < 0,
  $lte: (order) => order <= 0,
  $gt: (order) => order > 0,
  $gte: (order) => order >= 0,
};

const ARITHMETIC: { readonly [operator: string]: Arithmetic } = {
  $add: { number: (l, r) => l + r, bigint: (l, r) => l + r },
  $sub: { number: (l, r) => l - r, bigint: (l, r) => l - r },
  $mul: { number: (l, r) => l * r, bigint: (l, r) => l * r },
  $div: { number: (l, r) => l / r, bigint: (l, r) => l / r },
  $mod: { number: (l, r) => l % r, bigint: (l, r) => l % r },
};

/** Compiles the expression of a `.filter(…)`, as the convex package serializes it, to a predicate. */
export function compileFilter(expression: JSONValue): (document: DocumentJson) => boolean {
  const evaluate = compile(expression);
  return (document) => Boolean(evaluate(document));
}

function compile(expression: JSONValue): Evaluate {
  const [operator, operand] = onlyEntry(expression);
  if (operator === "$field") return compileField(operand);
  if (operator === "$literal") return compileLiteral(operand);
  if (operator === "$not") {
    const inner = compile(operand);
    return (document) => !inner(document);
  }
  if (operator === "$neg") return compileNegation(operand);
  const operands = Array.isArray(operand) ? operand.map(compile) : [];
  if (operator === "$and") return (document) => operands.every((each) => Boolean(each(document)));
  if (operator === "$or") return (document) => operands.some((each) => Boolean(each(document)));
  return compileBinary(operator, operands);
}

function compileBinary(operator: string, operands: readonly Evaluate[]): Evaluate {
  const [left, right] = operands;
  if (left === undefined || right === undefined || operands.length !== 2) throw malformed(operator);
  const comparison = COMPARISONS[operator];
  if (comparison !== undefined) {
    return (document) => comparison(compareValues(left(document), right(document)));
  }
  const arithmetic = ARITHMETIC[operator];
  if (arithmetic === undefined) throw malformed(operator);
  return (document) => calculate(operator, arithmetic, left(document), right(document));
}

function calculate(operator: string, arithmetic: Arithmetic, left: Result, right: Result): Result {
  if (typeof left === "number" && typeof right === "number") return arithmetic.number(left, right);
  if (typeof left === "bigint" && typeof right === "bigint") {
    return BigInt.asIntN(64, arithmetic.bigint(left, right));
  }
  throw new SyscallError(
    `Filter operator ${operator} needs two numbers of one type, not ${typeof left} and ${typeof right}.`,
  );
}

function compileField(path: JSONValue): Evaluate {
  if (typeof path !== "string") throw malformed("$field");
  return (document) => valueAt(document, path);
}

function compileLiteral(json: JSONValue): Evaluate {
  const isUndefined = typeof json === "object" && json !== null && "$undefined" in json;
  const value = isUndefined ? undefined : jsonToConvex(json);
  return () => value;
}

function compileNegation(operand: JSONValue): Evaluate {
  const inner = compile(operand);
  return (document) => {
    const value = inner(document);
    if (typeof value === "number") return -value;
    if (typeof value === "bigint") return BigInt.asIntN(64, -value);
    throw new SyscallError(`Filter operator $neg needs a number, not ${typeof value}.`);
  };
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
