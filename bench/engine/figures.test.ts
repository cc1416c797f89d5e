import { expect, it } from "vitest";
import { bars, type EmbeddedFigures } from "./figures.ts";

const good: EmbeddedFigures = {
  mutationsPerSecond: 1_500,
  readMsAt1k: 1,
  readMsAt100k: 2,
  fanoutMs1000: 499,
  mutationMs: 1,
  mutationMsWith1000Subs: 1,
  coldStartMs: 3_000,
  restMb: 150,
  freshWorld: { mutationsPerSecond: 400, queryMs: 4 },
  ticks: { scrypt: 1.1, classes: 1.3 },
  burst: { calls: 1_000, beforeMb: 100, duringMb: 500, afterMb: 140 },
};

it("the embedded backend meets each bar of engine at its exact limit", () => {
  expect(bars(good, 0.199).every(({ met }) => met)).toBe(true);
});

it.each([
  [{ mutationsPerSecond: 1_499 }, 0, 0],
  [{ readMsAt100k: 2.01 }, 0, 1],
  [{}, 0.2, 2],
  [{ fanoutMs1000: 500 }, 0, 3],
  [{ restMb: 151 }, 0, 4],
  [{ coldStartMs: 3_001 }, 0, 5],
  [{ freshWorld: { mutationsPerSecond: 399, queryMs: 4 } }, 0, 6],
  [{ freshWorld: { mutationsPerSecond: 400, queryMs: 4.1 } }, 0, 7],
  [{ ticks: { scrypt: 1.31, classes: 1.3 } }, 0, 8],
  [{ burst: { ...good.burst, afterMb: 140.1 } }, 0, 9],
])("an embedded backend with %j and a slowdown of %d misses only bar %d", (change, slowdown, missed) => {
  expect(bars({ ...good, ...change }, slowdown).map(({ met }) => met)).toEqual(
    Array.from({ length: 10 }, (_, n) => n !== missed),
  );
});
