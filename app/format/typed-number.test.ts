import { expect, it } from "vitest";
import { plainNumber, typedNumber, typedNumbers } from "./typed-number.ts";

it.each([
  ["en-US", " 1,234.5 ", "1234.5"],
  ["en-US", "1,234", "1234"],
  ["en-US", "0,5", "0.5"],
  ["en-US", "0.125", "0.125"],
  ["de-DE", "1.234,5", "1234.5"],
  ["de-DE", "1.234", "1234"],
  ["de-DE", "0,125", "0.125"],
  ["de-DE", "0.5", "0.5"],
  ["de-DE", "0.125", "0.125"],
  ["en-US", "0,125", "0.125"],
  ["de-DE", "much", "much"],
])("reads a number as people type it in %s: %s", (language, typed, plain) => {
  expect(plainNumber(typed, language)).toBe(plain);
});

it.each(["en-US", "de-DE"])("reads each number that a field shows in %s", (language) => {
  for (const value of [0, 0.125, 1.125, 1125, 1_234_567.5]) {
    expect(Number(plainNumber(typedNumber(value, language), language))).toBe(value);
  }
});

it.each<[string, string, readonly number[]]>([
  ["en-US", "350", [350]],
  ["en-US", "1,250.5", [1250.5]],
  ["de-DE", "0,5", [0.5]],
  ["de-DE", "0,5 1,5;2", [0.5, 1.5, 2]],
  ["en-US", "0.5, 1.5, -2", [0.5, 1.5, -2]],
  ["en-US", "0.5,1.5,2", [0.5, 1.5, 2]],
  ["en-US", "100,200,300,400,500,600", [100, 200, 300, 400, 500, 600]],
  ["en-US", "1\n2\t3\n", [1, 2, 3]],
])("reads the numbers of a list in %s: %j", (language, typed, numbers) => {
  expect(typedNumbers(typed, language)).toEqual(numbers);
});

it.each([
  ["", ""],
  ["1 two 3", "two"],
  ["1;;2;", ""],
  ["1e3", "1e3"],
])("names the text of a list that is no number: %j", (typed, notANumber) => {
  expect(typedNumbers(typed, "en-US")).toEqual({ notANumber });
});
