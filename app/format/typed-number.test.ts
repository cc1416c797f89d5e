import { expect, it } from "vitest";
import { plainNumber, typedNumber } from "./typed-number.ts";

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
