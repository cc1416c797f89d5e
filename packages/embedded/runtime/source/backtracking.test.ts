import { expect, test } from "vitest";
import { safeLength, safeLengthsOf } from "./backtracking.ts";

test.each([
  /(?=a)(a+)+$/,
  /^(a+)+\1$/,
  /(?<!b)(?:a|aa)*c/,
  /(?<x>a)(\w*,){5,}\k<x>/,
  /(?!b)((a)|(b))+/,
  /(?=a)(?:(?:ab?)*)*/,
  /(?=[)(])(?:[^)]*x){3}/,
  /(a+)+b/i,
  /(a+)+b/u,
  new RegExp("(a+)+b", "v"),
  /(a+)+b/d,
  /(a|aa){1,17}b/,
  /((a|aa){1,5}){1,4}b/,
  new RegExp(`${"a?".repeat(21)}b`, "i"),
])("a regular expression may take a time that doubles with each character: %s", ({ source, flags }) => {
  expect(safeLengthsOf(source, flags).one).toBe(16);
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
  /(a|aa){1,16}b/,
  /(?<word>\w+) (?:is|was)/i,
])("the time of a regular expression does not double with each character: %s", ({ source, flags }) => {
  expect(safeLengthsOf(source, flags).one).toBeGreaterThan(50);
});

test.each<[RegExp, number, number]>([
  [/a/, Infinity, Infinity],
  [/(?=a)b?c|d/i, Infinity, Infinity],
  [/\s+\n/, 14_142, 14_142],
  [/\s{3,}\n/, 14_142, 14_142],
  [/\s+?\n/, 14_142, 14_142],
  [/\w+|\s+|\W+/, 14_142, 14_142],
  [/\w+|\s+|\W+/y, Infinity, 14_142],
  [/^\s+\n/, Infinity, Infinity],
  [/^\s+|\s+$/, 14_142, 14_142],
  [/^\s+\n/m, 14_142, 14_142],
  [/\s+\s+\n/, 5_000, 5_000],
  [/(a+)+b/, 5_000, 5_000],
  [/\s+\s+\n/i, 584, 584],
  [/(?=a)a*b/, 14_142, 14_142],
  [/(?=a)a*b+c/, 584, 584],
  [/^(?=a)a*b+c/, 14_142, 14_142],
  [/(.*),\1/, 584, 584],
  [/(?<n>.*)\k<n>[*+]/, 584, 584],
  [/(?!x)a*b*c*/, 118, 118],
])("the more parts an expression repeats, the shorter is a text that is safe: %s", (pattern, one, all) => {
  expect(safeLengthsOf(pattern.source, pattern.flags)).toEqual({ one, all });
});

test("nearly every expression is safe in a short text", () => {
  const { all } = safeLengthsOf("^[\\w.+-]+@[\\w-]+\\.[a-z]{2,}$", "i");
  expect(all).toBeGreaterThan(safeLength);
});

test.each([
  [/(?:[a-z]+){2}@/i, 3],
  [/(?:[a-z]+[-_]?){1,2}@/i, 3],
  [/(?:(?:[a-z]+){2}){2}@/i, 5],
])("each copy of a repeated part multiplies the time: %s", ({ source, flags }, power) => {
  const { all } = safeLengthsOf(source, flags);
  // So many steps for each character would take minutes.
  expect(all ** power).toBeLessThan(1e9);
});

test.each([
  [21, 16],
  [30, 6],
  [50, 4],
  [300, 2],
])("with %i optional parts even a short text may match in very many ways", (options, length) => {
  expect(safeLengthsOf(`${"a?".repeat(options)}b`, "i")).toEqual({ one: length, all: length });
  expect(safeLengthsOf(`${"a?".repeat(options)}b`, "").one).toBeGreaterThanOrEqual(16);
});

test("no text is safe for an expression that takes long to look at", () => {
  expect(safeLengthsOf("a".repeat(1_000_000), "")).toEqual({ one: 0, all: 0 });
});
