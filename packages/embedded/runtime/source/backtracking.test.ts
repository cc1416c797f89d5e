import { expect, test } from "vitest";
import { mayBacktrackForever } from "./backtracking.ts";

test.each([
  /(?=a)(a+)+$/,
  /^(a+)+\1$/,
  /(?<!b)(?:a|aa)*c/,
  /(?<x>a)(\w*,){5,}\k<x>/,
  /(?!b)((a)|(b))+/,
  /(?=a)(?:(?:ab?)*)*/,
  /(?=[)(])(?:[^)]*x){3}/,
])("a regular expression may take a time that doubles with each character: %s", ({ source }) => {
  expect(mayBacktrackForever(source)).toBe(true);
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
])("a regular expression is left to V8: %s", ({ source }) => {
  expect(mayBacktrackForever(source)).toBe(false);
});
