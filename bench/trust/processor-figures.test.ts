import { expect, it } from "vitest";
import type { Replay } from "../../app/trust/replay.ts";
import { pairFigures, pairTable } from "./processor-figures.ts";

const replay = (regret: number, misses: number): Replay => ({
  tokens: 20,
  regret,
  misses,
  impossible: 0,
  logprob: -5,
});

it("counts the answers of a pair that are odd, and those that are accused", () => {
  const figures = pairFigures([
    { answered: "one", checked: "one", sameTexts: 2, replays: [replay(0, 0), replay(0, 0)] },
    { answered: "one", checked: "other", sameTexts: 2, replays: [replay(2, 2), replay(4, 8)] },
  ]);
  expect(figures.pairs).toMatchObject([
    { answers: 2, odd: 0, accused: 0, meanRegret: 0, mostExcess: 0, hasCase: false },
    { answers: 2, odd: 2, accused: 1, meanRegret: 6 / 40, missShare: 0.25, hasCase: true },
  ]);
  expect(pairTable(figures).split("\n")).toHaveLength(4);
});
