import { expect, it } from "vitest";
import { nextRound, retryDelayMs } from "./tryAgain.ts";

it("tries again after a second, doubling up to ten minutes", () => {
  expect([0, 1, 2, 9, 10, 2_000].map(retryDelayMs)).toEqual([1_000, 2_000, 4_000, 512_000, 600_000, 600_000]);
});

it.each([
  ["nothing is left", false, [], null],
  ["more is left", true, [], { delayMs: 0, refused: [], failures: 2 }],
  ["more is left beside what was refused", true, ["a"], { delayMs: 0, refused: ["a"], failures: 2 }],
  ["only what was refused is left", false, ["a"], { delayMs: 4_000, refused: [], failures: 3 }],
  ["too much was refused", true, Array(500).fill("a"), { delayMs: 4_000, refused: [], failures: 3 }],
])("a round continues if %s", (_, more, refused, expected) => {
  expect(nextRound(more, { refused, failures: 2 })).toEqual(expected);
});
