import { expect, it } from "vitest";
import { isRight } from "./grading.ts";

it.each([
  ["positive", " positive\n", true],
  ["- tea\n- rice", "- tea - rice", true],
  ["positive", "negative", false],
  ["positive", "positive and negative", false],
  ["Anna won a prize in Rome yesterday.", "Anna won a prize in Rome.", false],
  ["7 * 8 = 56", "7 * 8 = 54", false],
  ["positive", "", false],
])("isRight grades plain text: %j, answered %j: %s", (expected, answer, right) => {
  expect(isRight(expected, answer)).toBe(right);
});

it.each([
  ['{"city":"Oslo","name":"Kim"}', true],
  ['{"name": "Kim", "city": "Bergen"}', false],
  ['{"name": "Kim"}', false],
  ['{"name": "Kim", "city": "Oslo", "age": 4}', false],
  ['{"name": "Kim", "city": "Oslo"', false],
  ["null", false],
])("isRight grades JSON by its values: %s: %s", (answer, right) => {
  expect(isRight('{"name": "Kim", "city": "Oslo"}', answer)).toBe(right);
});

it("a price in quotes is not graded as a number", () => {
  expect(isRight('{"item": "lamp", "price": 12}', '{"item": "lamp", "price": "12"}')).toBe(false);
});
