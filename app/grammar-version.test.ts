import { expect, it } from "vitest";
import { grammarTag, isKnownGrammar, isOldGrammar } from "./grammar-version.ts";

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

it("its own version is not old, and neither is one that it does not know", () => {
  for (const tag of [grammarTag, "grammar:0", "grammar:1000"]) expect(isOldGrammar(tag)).toBe(false);
});

it("versions below that of the program are old", () => {
  expect(isOldGrammar("grammar:1", 2)).toBe(true);
  for (const tag of ["grammar:0", "grammar:2", "grammar:3", "grammar:mine"])
    expect(isOldGrammar(tag, 2)).toBe(false);
});
