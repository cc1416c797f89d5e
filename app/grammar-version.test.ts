import { expect, it } from "vitest";
import { grammarTag, isKnownGrammar } from "./grammar-version.ts";

it("a program knows its own version of the grammars and earlier ones", () => {
  expect(isKnownGrammar(grammarTag)).toBe(true);
  expect(isKnownGrammar("grammar:1")).toBe(true);
});

it.each(["grammar:0", "grammar:-1", "grammar:01", "grammar:1.5", "grammar:", "grammar:mine", "grammar:1000"])(
  "it does not know %s",
  (tag) => {
    expect(isKnownGrammar(tag)).toBe(false);
  },
);
