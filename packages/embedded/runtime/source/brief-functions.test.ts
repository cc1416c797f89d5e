import { type ExpressionStatement, type Function, parse } from "acorn";
import { expect, test } from "vitest";
import { isBrief } from "./brief-functions.ts";

function functionIn(code: string): Function {
  const [statement] = parse(`(${code})`, { ecmaVersion: "latest" }).body;
  return (statement as ExpressionStatement).expression as Function;
}

test.each([
  "(word, shift) => (word << shift) | ((word >>> (32 - shift)) >>> 0)",
  "function rotate(a, b) { return (a << b) | (a >>> (32 - b)); }",
  "(a, b) => (a < b ? -1 : a > b ? 1 : 0)",
  "function add(ah, al, bh, bl) { const l = (al >>> 0) + (bl >>> 0); return { h: (ah + bh) | 0, l: l | 0 }; }",
  "function clamp(x) { let y = x; if (y > 9) y = 9; else { y += 1; } ; return [y, typeof y]; }",
  "function () {}",
])("a function is brief if it only computes with its own variables: %s", (code) => {
  expect(isBrief(functionIn(code))).toBe(true);
});

test.each([
  "(a) => f(a)",
  "(a) => a.length",
  "(a) => a[0]",
  "(a) => a`text`",
  "(a) => `${a}`",
  "(a) => new a",
  "(a) => a in a",
  "(a) => a instanceof a",
  "(a) => [...a]",
  "(a) => ({ [a]: 1 })",
  "(a) => ({ ...a })",
  "(a) => ({ get b() { return 1; } })",
  "() => outside + 1",
  "function () { return this; }",
  "function () { return arguments; }",
  "(a = f()) => a",
  "({ a }) => a",
  "(...a) => a",
  "async (a) => a",
  "function* (a) { yield a; }",
  "function (a) { for (;;) a += 1; }",
  "function (a) { outside = a; }",
  "function (a) { const { b } = a; return b; }",
  "function (a) { try { return a; } finally { } }",
  "(a) => (b) => b",
])("a function is not brief if it could call other code or loop: %s", (code) => {
  expect(isBrief(functionIn(code))).toBe(false);
});
