import { type ForStatement, parse } from "acorn";
import { expect, test } from "vitest";
import { counterOf } from "./loop-counter.ts";

const counterIn = (code: string): string | null =>
  counterOf(parse(code, { ecmaVersion: "latest", sourceType: "module" }).body[0] as ForStatement);

test.each([
  "for (let i = 0; i < 9; i++) f(i);",
  "for (let i = 1, n = 9; i < n; ++i) { let j = i; j++; n += 1; }",
  "for (let n = 9, i = 4294967295; ; i += 1) if (list[i] === i) break;",
])("a variable counts the rounds of %s", (code) => {
  expect(counterIn(code)).toBe("i");
});

test.each([
  "for (;;) f();",
  "for (let i = 0; i < 9; ) i++;",
  "for (let i = 0; i < 9; i++, j++) f();",
  "for (let i = 9; i > 0; i--) f();",
  "for (let i = 0; i < 9; i += 2) f();",
  "for (let i = 0; i < 9; i += 1n) f();",
  "for (let i = 0; i < 9; j++) f();",
  "for (let i = 0; i < 9; i.j++) f();",
  "for (var i = 0; i < 9; i++) f();",
  "for (i = 0; i < 9; i++) f();",
  "for (let i = 0n; i < 9; i++) f();",
  "for (let i = n; i < 9; i++) f();",
  "for (let [i] = [0]; i < 9; i++) f();",
  // Adding one to such a number changes nothing.
  "for (let i = 9007199254740992; ; i++) f();",
  "for (let i = 1e999; ; i++) f();",
])("no variable counts the rounds of %s", (code) => {
  expect(counterIn(code)).toBe(null);
});

test.each([
  "i = 0;",
  "i -= 1;",
  "i--;",
  "[i] = [0];",
  "({ j: i = 1 } = {});",
  "for (i of []) f();",
  "for (i in {}) f();",
  "{ let i = 0; f(i); }",
  "try { f(); } catch (i) { f(i); }",
])("no variable counts the rounds of a loop that does %s", (body) => {
  expect(counterIn(`for (let i = 0; i < 9; i++) { ${body} }`)).toBe(null);
});
