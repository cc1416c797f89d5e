import { expect, it } from "vitest";
import { choicesWithin } from "./sampling.ts";

it("keeps only the log probabilities of the remaining text", () => {
  const choices = ["a", "bc", "", "d"].map((token) => ({ token, logprob: 0, top: [] }));
  const tokensOf = (text: string): string[] => choicesWithin(choices, text).map(({ token }) => token);
  expect(tokensOf("abcd")).toEqual(["a", "bc", "", "d"]);
  expect(tokensOf("ab")).toEqual(["a", "bc"]);
  expect(tokensOf("")).toEqual([]);
});
