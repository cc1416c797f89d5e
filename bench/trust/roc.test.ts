import { expect, it } from "vitest";
import type { Replay } from "../../app/trust/replay.ts";
import { honestKind, type Sample } from "./figures.ts";
import { rocCurves } from "./roc.ts";

const replay = (regret: number, misses = 0): Replay => ({
  tokens: 16,
  regret,
  misses,
  impossible: 0,
  logprob: -5,
});
const sample = (kind: string, regrets: readonly (readonly [number, number?])[]): Sample => ({
  kind,
  temperature: 1,
  replays: regrets.map(([regret, misses]) => replay(regret, misses)),
});

it("has a point for each threshold at which another honest answer is accused", () => {
  const honest = sample(honestKind, [[0], [0], [0.1], [0.5]]);
  const [curve] = rocCurves([honest, sample("noise", [[4, 8], [0.3], [0.1], [0]])], 1);
  const points = curve?.points.map(({ accused, caught }) => [accused, caught]);
  expect(points).toEqual([
    [0, 0.25],
    [0.25, 0.5],
    [0.5, 0.75],
  ]);
  expect(curve?.verdict).toEqual({ accused: 0, caught: 0.25 });
});

it("finds in several answers together what one does not show", () => {
  const honest = sample(
    honestKind,
    Array.from({ length: 12 }, () => [0.1] as const),
  );
  // Each is beyond the limit of 0.05 a token, with too few misses to accuse anybody.
  const odd = sample(
    "odd",
    Array.from({ length: 12 }, () => [1.5, 2] as const),
  );
  expect(rocCurves([honest, odd], 1)[0]?.verdict).toEqual({ accused: 0, caught: 0 });
  expect(rocCurves([honest, odd], 10)[0]?.verdict).toEqual({ accused: 0, caught: 1 });
});
