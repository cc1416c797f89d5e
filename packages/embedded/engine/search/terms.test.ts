import { expect, test } from "vitest";
import { termsOf } from "./terms.ts";

test.each<[string, string, string[]]>([
  ["words", "The quick, brown fox!", ["the", "quick", "brown", "fox"]],
  ["an apostrophe and a dash, which split words", "don't re-run", ["don", "t", "re", "run"]],
  ["an underscore and dots, which split words", "snake_case a.b.c", ["snake", "case", "a", "b", "c"]],
  ["digits, also other ones", "v2 ½ ٣ Ⅷ", ["v2", "½", "٣", "ⅷ"]],
  ["letters of other scripts", "Ärger Ωμέγα Привет 東京タワー", ["ärger", "ωμέγα", "привет", "東京タワー"]],
  ["a sigma at the end of a word, as everywhere else", "ΟΔΟΣ", ["οδοσ"]],
  ["no terms in punctuation", " ,.;🙂 ", []],
  ["31 bytes, but not 32", `${"a".repeat(31)} ${"b".repeat(32)}`, ["a".repeat(31)]],
  ["bytes of UTF-8, not characters", `${"é".repeat(15)} ${"ü".repeat(16)}`, ["é".repeat(15)]],
])("terms of %s", (_, text, terms) => {
  expect([...termsOf(text)]).toEqual(terms);
});
