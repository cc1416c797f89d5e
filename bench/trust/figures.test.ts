import { expect, it } from "vitest";
import type { Replay } from "../../app/trust/replay.ts";
import { honestKind, kindFigures, kindTable, type Sample } from "./figures.ts";

const replay = (regret: number, misses: number): Replay => ({
  tokens: 20,
  regret,
  misses,
  impossible: 0,
  logprob: -5,
});
const sample = (kind: string, replays: readonly Replay[]): Sample => ({ kind, temperature: 1, replays });

const honest = sample(honestKind, [replay(0, 0), replay(0.1, 0)]);

it("tells answers of another model from honest ones", () => {
  const figures = kindFigures([honest, sample("noise", [replay(10, 12), replay(0.05, 0)])]);
  expect(figures).toMatchObject([
    { kind: honestKind, byDefaultLimits: 0, replaysUntilFound: null, answers: 2, tokens: 20 },
    { kind: "noise", byDefaultLimits: 0.5, auc: 0.75, missShare: 0.3, meanRegret: 10.05 / 40 },
  ]);
  expect(kindTable(figures).split("\n")).toHaveLength(4);
});

it("finds a device whose answers are all a little odd", () => {
  const odd = Array.from({ length: 20 }, () => replay(1, 1));
  const [, figures] = kindFigures([honest, sample("odd", odd)]);
  // Each adds a third of what one answer may have.
  expect(figures).toMatchObject({ byDefaultLimits: 0, auc: 1, replaysUntilFound: 13 });
});
