import { expect, test } from "vitest";
import { noMap } from "./bundle-script.ts";
import { withTicks } from "./loop-ticks.ts";

const prologue = withTicks("", noMap).code;

/** Returns the code with a § for the tick of each function and field. */
function marked(code: string): string {
  const tick = /(?:--__convexFuel\[0\]|\(__convexFuel\[0\]-=\d+\))<0&&__convexRefuel\(\)/g;
  const reserved = /__convexReserve\.spread\((\w+)\)/g;
  return withTicks(code, noMap).code.replace(prologue, "").replaceAll(tick, "§").replaceAll(reserved, "$1");
}

test.each([
  "const f = (word, shift) => (word << shift) | ((word >>> (32 - shift)) >>> 0);",
  "const f = function (a, b) { return a < b ? -1 : a > b ? 1 : 0; };",
  "function f(x) { let y = x; if (y > 9) y = 9; else { y += 1; } return -y; }",
  "function f(a) { return { h: outside + a.high, l: [a.low] }; }",
  "function f(a) { return a.next(1) + a[0]`text` + new Map().size; }",
  "function f(a) { try { throw new Error(`${a}`); } catch { return [...a]; } }",
  "function f(a) { return g(a) + g(a); } function g(a) { return a.x; }",
  "const f = (a, g) => g(a);",
])("a function that only others call by name needs no tick without loops and deeper calls: %s", (code) => {
  expect(marked(`${code} f(1, 2);`)).toBe(`${code} f(1, 2);`);
});

test.each([
  "const f = (a) => (b) => b + 1;",
  "function f(count) { return { next: () => count += 1, value: () => count }; }",
  "function f(a) { let b = a; return { next: () => b++, isIt: (x) => x === b, id: (x) => x.id }; }",
  "function f(a) { return () => 1 + a; }",
  "const g = (x) => ({ more: () => x + 1, none: () => null, list: (y) => [x, y] });",
])(
  "a function that code returns or keeps in an object needs no tick if it does next to nothing: %s",
  (code) => {
    expect(marked(`${code} f(1); g(1);`)).toBe(`${code} f(1); g(1);`);
  },
);

test.each([
  ["two steps", "return { a: () => x + y };"],
  ["two reads", "return { a: () => x.y.z };"],
  ["a read of a value for an operator", "return { a: () => x.y + 1 };"],
  ["a call", "return { a: () => x() };"],
  ["a global name", "return { a: () => [outside, outside] };"],
  ["a name of another function", "function g(outside) {} return { a: () => [outside, outside] };"],
  ["a write", "return { a: (z) => z.x = 1 };"],
  ["a callback", "return x.find(() => true);"],
  ["a variable", "const a = () => true; return x.find(a);"],
  ["a getter", "return { get a() { return x; } };"],
  ["an iterator", "return { next: () => x };"],
  ["a returned function that gives an object, as an iterator's `next` does", "return () => x;"],
  ["a template", "return { a: () => `${x}${y}` };"],
  ["a test whether it is there", "return { a: () => x in y };"],
  ["a default", "return { a: (z = x()) => z };"],
])(
  "such a function has a tick if it may run other code twice, or be called by native code: %s",
  (_, body) => {
    const code = marked(`export function f(x, y) { ${body} }`);
    expect(code.split("§").length - 1).toBe(2);
  },
);

test.each([
  ["function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2); }", "n < 2 ? n : (§,f(n - 1) + f(n - 2))"],
  ["const f = (n) => n > 0 && f(n - 1);", "n > 0 && (§,f(n - 1))"],
  ["const f = (n) => n > 1 ? n > 2 ? f(n - 1) : 1 : 0;", "n > 1 ? n > 2 ? (§,f(n - 1)) : 1 : 0"],
  ["function f(n) { if (n === null) return 0; return f(n.next) + 1; }", "return 0; return (§,f(n.next) + 1)"],
  ["function f(n) { const m = n.next; m.x(); if (m) f(m); f(1); }", "m.x();;§; if (m) f(m); f(1);"],
  ["function f(n) { n += 1; for (const m of n) m.x(); }", "n += 1;;§;let __convexRounds"],
  ["function f(n) { if (n) for (const m of n) m.x(); }", "{;§;let __convexRounds"],
  [
    "const f = (n) => g(n); const g = (n) => h(n); const h = (n) => n;",
    "(n) => (§,g(n)); const g = (n) => h(n);",
  ],
  [
    "const f = (n) => { const g = () => f(n - 1); return n ? g() : 1; };",
    "=> (§,f(n - 1)); return n ? (§,g()) : 1;",
  ],
  ["const f = (n) => class { [f(n - 1)]() {} };", "=> (§,class { [f("],
  ["const f = (n) => class { static { f(n - 1); } };", "=> (§,class { static { f("],
])("such a function has its tick before it may take long: %s", (code, expected) => {
  expect(marked(`${code} f(9);`)).toContain(expected);
});

test.each([
  "list.some(f);",
  "const g = f.bind(null, o, o);",
  "o.valueOf = f;",
  "o = { f };",
  "o = { valueOf: f };",
  "g = () => { f; };",
  "f = g;",
  "new f(1);",
  "f`text`;",
  "[f] = list;",
  "for (f of list);",
  "export { f };",
  "export { f as g };",
  "export default f;",
])("a function that is passed around needs a tick: %s", (code) => {
  expect(marked(`function f(a, b) { return a + b; } f(1, 2); ${code}`)).toContain("{;§; return a + b; }");
});

test.each([
  "export function f(a) { return a; }",
  "export default function f(a) { return a; }",
  "export const f = (a) => { return a; };",
  "const f = function g(a) { return a; };",
  "const f = (a = g()) => { return a; };",
  "const f = ({ a }) => { return a; };",
  "const f = (...a) => { return a; };",
  "function* f(a) { return a; }",
  "list.map((a) => { return a; });",
  "((a) => { return a; })(2);",
  "class A { f(a) { return a; } }",
  "class A { get f() { return a; } }",
  "const A = { set f(a) { return a; } };",
])("a function that something else may call or pass needs a tick: %s", (code) => {
  expect(marked(`${code} f(1);`)).toContain("{;§; return a; }");
});

test.each([
  ["async (a) => { return a; }", "async (a) => {;++__convexFuel[1],§; return a; }"],
  ["async (a) => a", "async (a) => (++__convexFuel[1],§,a)"],
  ["() => new Promise(go)", "() => new Promise((++__convexFuel[1],go))"],
])("the promise is counted that code makes: %s", (code, expected) => {
  expect(marked(`const f = ${code}; f(1);`)).toContain(expected);
});

test.each([
  "constructor() {}",
  "constructor(x, y) { this.x = x; this.#y = y; }",
  "constructor(x, y) { this.x = x, this.y = y; }",
  "constructor(x, y = -1) { this.x = x ?? void 0; this.list = [y, { x }]; this.f = () => x; }",
  "constructor(x) { this.isOne = typeof x === 'number' && !x ? KIND : 'text'; }",
  "constructor(x) { super(x, 1); this.x = x; }",
  "constructor(x) { super(), this.x = x; }",
  "x = 0; y; list = []; f = () => x;",
])("a constructor that only stores needs no tick: %s", (body) => {
  const code = `class A extends B { #y; ${body} }`;
  expect(marked(code).replace("=> (§,x)", "=> x")).toBe(code);
});

test.each([
  "constructor(x) { this.x = x + 1; }",
  "constructor(x) { this.x = x == 1; }",
  "constructor(x) { this.x = -x; }",
  "constructor(x) { this.x = `${x}`; }",
  "constructor(x) { this.x = x.y; }",
  "constructor(x) { this.x = x(); }",
  "constructor(x) { this.x = new A(); }",
  "constructor(x) { this.x = [...x]; }",
  "constructor(x) { this.x = { ...x }; }",
  "constructor(x) { this.x = { [x]: 1 }; }",
  "constructor(x) { this.x = class { static { g(); } }; }",
  "constructor(x) { this.x += x; }",
  "constructor(x) { this[x] = x; }",
  "constructor(x) { this.x.y = x; }",
  "constructor(x) { x.y = this; }",
  "constructor(x) { [this.x] = x; }",
  "constructor(x) { super(x); super(x); }",
  "constructor(x) { this.x = x; super(x); }",
  "constructor(x) { super(...x); }",
  "constructor(x) { super(x()); }",
  "constructor(x) { return x; }",
  "constructor(x) { if (x) this.x = x; }",
  "constructor(x = new A()) { this.x = x; }",
  "constructor({ x }) { this.x = x; }",
  "constructor(...x) { this.x = x; }",
])("a constructor that does more needs a tick: %s", (body) => {
  expect(marked(`class A extends B { ${body} }`)).toMatch(/\) \{;§;/);
});

test.each(["x = g();", "x = this.y;", "x = [...y];", "static x = new A();", "x = y + 1;"])(
  "the initializer of a field that may run code needs a tick: %s",
  (body) => {
    expect(marked(`class A { ${body} }`)).toContain("= (§,");
  },
);
