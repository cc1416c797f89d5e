import { expect, it } from "vitest";
import { countIds, mostTokensOf, packIds, tokenIds, unpackIds } from "./token-ids.ts";

it("packs ids, and gives them back in their order", () => {
  const ids = [0, 151_000, 7];
  expect(unpackIds(packIds(ids))).toEqual(ids);
  expect(countIds(packIds(ids))).toBe(3);
});

it("counts the most tokens of an input: the bytes of a text, or the ids", () => {
  expect(mostTokensOf("é!")).toBe(3);
  expect(mostTokensOf(packIds([1, 2]))).toBe(2);
});

it.each(["", " 1", "1 ", "1  2", "-1", "1.5", "12345678", "1,2", "1\n2"])("refuses %j as ids", (packed) => {
  expect(tokenIds.safeParse({ tokenIds: packed }).success).toBe(false);
});
