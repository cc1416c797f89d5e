import { expect, it } from "vitest";
import { refusalWords, signInToken } from "./sign-in-token.ts";

it("finds the token in the hash", () => {
  expect(signInToken("#signin=gs_abc-_1")).toBe("gs_abc-_1");
  expect(signInToken("#/jobs")).toBeNull();
  expect(signInToken("#signin=")).toBeNull();
  expect(signInToken("")).toBeNull();
});

it("has a sentence for every refusal, known or not", () => {
  const sentences = ["used", "expired", "unknown-link", "something new"].map(refusalWords);
  for (const sentence of sentences) expect(sentence).toMatch(/\.$/);
  expect(new Set(sentences).size).toBe(3);
});
