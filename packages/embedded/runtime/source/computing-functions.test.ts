import { parse } from "acorn";
import { expect, test } from "vitest";
import { computingFunctions } from "./computing-functions.ts";

const count = (code: string): number => computingFunctions(parse(code, { ecmaVersion: "latest" })).nodes.size;

test.each([
  "const f = (word, shift) => (word << shift) | ((word >>> (32 - shift)) >>> 0)",
  "function f(a, b) { return (a << b) | (a >>> (32 - b)); }",
  "const f = function (a, b) { return a < b ? -1 : a > b ? 1 : 0; }",
  "function f(x) { let y = x; if (y > 9) y = 9; else { y += 1; } ; return -y; }",
  "function f(ah, al, bh, bl) { const l = (al >>> 0) + (bl >>> 0); return { h: (ah + bh) | 0, l: [l | 0] }; }",
])("a function that only computes needs no tick: %s", (code) => {
  expect(count(`${code}\nf(1, 2); o.f = (f) => f(1);`)).toBe(1);
});

test.each([
  "function f(a) { return g(a); }",
  "function f(a) { return a.length; }",
  "function f(a) { return a[0]; }",
  "function f(a) { return a`text`; }",
  "function f(a) { return `${a}`; }",
  "function f(a) { return new a; }",
  "function f(a) { return a in a; }",
  "function f(a) { return a instanceof a; }",
  "function f(a) { return [...a]; }",
  "function f(a) { return { ...a }; }",
  "function f(a) { return { [a]: 1 }; }",
  "function f(a) { return { get b() { return 1; } }; }",
  "function f(a) { return a + outside; }",
  "function f(a) { return a + /text/; }",
  "function f(a) { return this; }",
  "function f(a) { return arguments; }",
  "function f(a = g()) { return a; }",
  "function f({ a }) { return a; }",
  "function f(...a) { return a; }",
  "async function f(a) { return a; }",
  "function* f(a) { yield a; }",
  "function f(a) { for (;;) a += 1; }",
  "function f(a) { outside = a; }",
  "function f(a) { { let outside; } return outside + outside; }",
  "function f(a) { const { b } = a; return b; }",
  "function f(a) { try { return a; } finally { } }",
])("a function that may do more needs a tick: %s", (code) => {
  expect(count(`${code}\nf(1, 2);`)).toBe(0);
});

test.each([
  "list.some(f)",
  "const g = f.bind(null, o, o)",
  "o.valueOf = f",
  "o = { f }",
  "o = { valueOf: f }",
  "g = () => f",
  "f = g",
  "new f(1)",
  "f`text`",
  "[f] = list",
  "for (f of list);",
])("a function that is passed around needs a tick: %s", (code) => {
  expect(count(`function f(a, b) { return a + b; } f(1, 2); ${code};`)).toBe(0);
});

test("a function without a name that other code could call needs a tick", () => {
  expect(
    count("list.map((x) => x + 1); ((x) => x + 1)(2); class A { f(x) { return x; } get x() { return 1; } }"),
  ).toBe(0);
});
