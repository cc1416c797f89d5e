import { expect, it } from "vitest";
import { rankByCosine } from "./rank.ts";

it("ranks documents by their direction, not by their length", () => {
  const ranked = rankByCosine(
    [2, 0],
    [
      [0, 3],
      [-1, 0],
      [1, 1],
      [0.1, 0],
    ],
  );
  expect(ranked.map(({ index }) => index)).toEqual([3, 2, 0, 1]);
  expect(ranked.map(({ score }) => Math.round(score * 100))).toEqual([100, 71, 0, -100]);
});

it("keeps equal documents in their order, and gives 0 to a vector without a direction", () => {
  expect(rankByCosine([1, 0], [[0, 0], [0, 1], []])).toEqual([
    { index: 0, score: 0 },
    { index: 1, score: 0 },
    { index: 2, score: 0 },
  ]);
});
