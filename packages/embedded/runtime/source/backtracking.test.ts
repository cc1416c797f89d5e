import { expect, test } from "vitest";
import { mayReadAgain, safeLength, safeLengthOf } from "./backtracking.ts";

test.each([
  /(?=a)(a+)+$/,
  /^(a+)+\1$/,
  /(?<!b)(?:a|aa)*c/,
  /(?<x>a)(\w*,){5,}\k<x>/,
  /(?!b)((a)|(b))+/,
  /(?=a)(?:(?:ab?)*)*/,
  /(?=[)(])(?:[^)]*x){3}/,
])("a regular expression may take a time that doubles with each character: %s", ({ source }) => {
  expect(safeLengthOf(source)).toBe(16);
});

test.each([
  /(a+)+$/,
  /(?:a|aa)*c/,
  /(?=a)a+b*/,
  /^(.*),\1$/,
  /(?=.*\d)(?=.*[a-z]).{8,}/,
  /(?!x)(?:abc)*/,
  /(?!x)(?:a+)?b/,
  /\(?=a(b+)c+/,
  /(?=[(*+|)])(?:[*|])+/,
])("the time of a regular expression does not double with each character: %s", ({ source }) => {
  expect(safeLengthOf(source)).toBeGreaterThan(50);
});

test.each<[RegExp, number]>([
  [/\s+\n/, safeLength],
  [/\s+\s+\n/, safeLength],
  [/(?=a)a*b/, safeLength],
  [/(?=a)a*b+c/, 215],
  [/(.*),\1/, 215],
  [/(?<n>.*)\k<n>[*+]/, 215],
  [/(?!x)a*b*c*/, 56],
])("the more parts an expression repeats, the shorter is a text that is safe: %s", ({ source }, length) => {
  expect(safeLengthOf(source)).toBe(length);
});

test("an expression that repeats nothing reads no text again", () => {
  expect([/a/, /\s{3}x/, /(?=a)b?c|d/].map(({ source }) => mayReadAgain(source))).toEqual([
    false,
    false,
    false,
  ]);
  expect([/a+/, /\s{3,}x/, /x{1,9}/, /a*/].map(({ source }) => mayReadAgain(source))).not.toContain(false);
});
