import { expect, test } from "vitest";
import { noMap } from "./bundle-script.ts";
import { withTicks } from "./loop-ticks.ts";

const prologue = withTicks("", noMap).code;
const marked = (code: string): string =>
  withTicks(code, noMap).code.replace(prologue, "").replaceAll("__convexReserve", "§");

test.each([
  ["Array(n)", "Array(__convexLength(n))"],
  ["new Array(n + 1)", "new Array(__convexLength(n + 1))"],
  ["new Array(5e8)", "new Array(__convexLength(5e8))"],
  ["new Uint8Array(n)", "new Uint8Array(§.buffer(n,1))"],
  ["new ArrayBuffer(n)", "new ArrayBuffer(§.buffer(n,1))"],
  ["new Float64Array(f(n))", "new Float64Array(§.buffer(f(n),8))"],
  ["[...n]", "[...§.spread(n)]"],
  ["[1, ...f(n), ...[...n]]", "[1, ...§.spread(f(n)), ...§.spread([...§.spread(n)])]"],
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
  "new Array(...n)",
  "Array.of(n)",
  "new Uint8Array()",
  "new Set(n)",
  "new toString(n)",
  "f(...n)",
  "({ ...n })",
])("code that needs little says nothing: %s", (code) => {
  expect(marked(code)).toBe(code);
});
