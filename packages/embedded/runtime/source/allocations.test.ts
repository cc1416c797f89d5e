import { expect, test } from "vitest";
import { noMap } from "./bundle-script.ts";
import { withTicks } from "./loop-ticks.ts";

const prologue = withTicks("", noMap).code;
const marked = (code: string): string =>
  withTicks(code, noMap).code.replace(prologue, "").replaceAll("__convexReserve", "§");

test.each([
  ["Array(n)", "Array(__convexLength(n))"],
  ["Array((n = 7, 3))", "Array((__convexLength((n = 7, 3))))"],
  ["new Array(n + 1)", "new Array(__convexLength(n + 1))"],
  ["new Array(5e8)", "new Array(__convexLength(5e8))"],
  ["new Uint8Array(n)", "new Uint8Array(§.buffer(n,1))"],
  ["new ArrayBuffer(n)", "new ArrayBuffer(§.buffer(n,1))"],
  ["new ArrayBuffer(n, { m })", "new ArrayBuffer(§.buffer(n,1), { m })"],
  ["new Float64Array(f(n))", "new Float64Array(§.buffer(f(n),8))"],
  ["[...n]", "[...§.spread(n)]"],
  ["[1, ...f(n), ...[...n]]", "[1, ...§.spread(f(n)), ...§.spread([...§.spread(n)])]"],
  ["new Set(n)", "new Set(§.keys(n))"],
  ["new Map(f(n))", "new Map(§.keys(f(n)))"],
  ["new WeakSet(n)", "new WeakSet(§.spread(n))"],
  ["AggregateError(n, m)", "AggregateError(§.spread(n), m)"],
  ["1n << m", "1n << §.bits(m)"],
  ["n <<= BigInt(m) - 1n", "n <<= §.bits(BigInt(m) - 1n)"],
  ["n * n", 'n * (typeof n=="bigint"?§.factor(n):n)'],
  ["n *= n", 'n *= (typeof n=="bigint"?§.factor(n):n)'],
  ["n ** m", "__convexPower(n ,  m)"],
  ["(n ** m) ** f(n)", "__convexPower((__convexPower(n ,  m)) ,  f(n))"],
  ["n **= m", "n **= __convexExponent(n,m)"],
  ["1n, n * m", '1n, n * (typeof m=="bigint"?§.factor(m):m)'],
  ["1n, n * f(m)", '1n, (typeof n=="bigint"?§.factor(n):n) * f(m)'],
  ["1n, n *= f(m)", '1n, n *= (typeof n=="bigint"&&§.factor(n),f(m))'],
  ["const R = RegExp; new R(n)", "const R = RegExp; §.pattern(new R(n))"],
  ["R = m || globalThis.RegExp; R(n)", "R = m || globalThis.RegExp; §.pattern(R(n))"],
  ["const { RegExp: R } = self; new R(n)", "const { RegExp: R } = self; §.pattern(new R(n))"],
  ["class R extends RegExp {}; new R(n)", "class R extends RegExp {}; §.pattern(new R(n))"],
  ["new self.RegExp(n)", "§.pattern(new self.RegExp(n))"],
  ["Reflect.construct(RegExp, n)", "§.pattern(Reflect.construct(RegExp, n))"],
  ["new RegExp(n)", "§.pattern(new RegExp(n))"],
  ["RegExp(n).test(m)", "__convexTest(§.pattern(RegExp(n)),    (m))"],
  ["/(?=a)(a+)+$/.test(n)", "__convexTest(§.pattern(/(?=a)(a+)+$/),    (n))"],
  ["/a+/.test(n)", "__convexTest(/a+/,    (n))"],
  ["(n || m).exec(f(n))[1]", "__convexExec((n || m),    (f(n)))[1]"],
  ["a.b.test(n.exec(m))", "__convexTest(a.b,    (__convexExec(n,    (m))))"],
  ["f(...n)", "f(...§.spread(n))"],
  ["new X(1, ...n)", "new X(1, ...§.spread(n))"],
  ["({ ...n, a: { ...m } })", "({ ...__convexFields(n), a: { ...__convexFields(m) } })"],
  ["const [a, ...b] = n, c = m", "const [a, ...b] = §.spread(n), c = m"],
  ["[a, ...b] = n", "[a, ...b] = §.spread(n)"],
  ["[...Array(n).keys()]", "[...§.spread(Array(__convexLength(n)).keys())]"],
])("code says which memory it needs: %s", (code, expected) => {
  expect(marked(code)).toBe(expected);
});

test.each([
  "new Uint8Array(32)",
  "new Uint8Array([1, 2])",
  "new Uint8Array(buffer, 4, n)",
  "new Array()",
  "new Array(1, 2)",
  "Array.of(n)",
  "new Uint8Array()",
  "new Set()",
  "new Set([n, m])",
  "BigInt(1)",
  "n << m",
  "n * m",
  "1n, n * 2",
  "1n, f(n) * f(m)",
  "const R = f(RegExp); new R(n)",
  "n << 32 - m",
  "1n >> m",
  "n >> m",
  "n ** 2",
  "10 ** n",
  "n *= m",
  "n.match(/(a+)+$/g)",
  "new toString(n)",
  "/a/.test(n)",
  "n.test('a')",
  "n.test(m, n)",
  "n?.test(m)",
  "n?.a.test(m)",
  "n.test?.(m)",
  "n[test](m)",
  "test(n)",
  "const [a, b] = n",
  "const { a, ...b } = n",
])("code that needs little says nothing: %s", (code) => {
  expect(marked(code)).toBe(code);
});

test("the rest of a function's parameters says nothing where it is passed on", () => {
  const code = "const f = (first, ...rest) => (g(...rest), [...rest], g(...first))";
  expect(marked(code)).toContain("g(...rest), [...rest], g(...§.spread(first))");
});

test("a loop over names says what it needs for those of a text", () => {
  expect(marked("for (const name in n) f(name)")).toContain("in __convexFields(n)) {");
});
