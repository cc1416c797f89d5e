import { expect, it } from "vitest";
import type { PolicyFigures } from "./figures-of.ts";
import { figuresOf } from "./figures-of.ts";
import { winnerOf } from "./winner.ts";

const good: PolicyFigures = {
  p50: 30,
  p95: 40,
  conflictsPerJob: 0.01,
  stealsPerJob: 0,
  idleWhileWaiting: 0.002,
  cacheHits: 0.2,
};
const baseline = { ...good, p95: 4_000, conflictsPerJob: 10, cacheHits: 1 };

it("the winner loses the least device time", () => {
  expect(winnerOf({ a: good, b: { ...good, cacheHits: 0.6 } })).toBe("b");
  expect(winnerOf({ a: good, b: { ...good, idleWhileWaiting: 0.001 } })).toBe("b");
  expect(winnerOf({ a: good, b: { ...good, cacheHits: 0.6, idleWhileWaiting: 0.5 } })).toBe("a");
});

it("no policy wins that starts jobs noticeably later, whatever else it saves", () => {
  expect(winnerOf({ a: good, b: { ...good, p95: 141, cacheHits: 1 } })).toBe("a");
  expect(winnerOf({ a: good, b: { ...good, p95: 139, cacheHits: 1 } })).toBe("b");
});

it("no policy wins with more than a twentieth of the baseline's conflicts, whatever else it saves", () => {
  const many = { ...good, conflictsPerJob: 0.51, cacheHits: 1 };
  expect(winnerOf({ "shared-head": baseline, a: good, b: many })).toBe("a");
  expect(winnerOf({ "shared-head": baseline, a: good, b: { ...many, conflictsPerJob: 0.49 } })).toBe("b");
});

it("the percentiles leave out the waits of a batch, unless only the batch ran", () => {
  const outcome = (wait: number) => ({
    waits: new Float64Array([wait]),
    jobs: 1,
    unstarted: 0,
    events: 9,
    conflicts: 1,
    failures: 0,
    steals: 0,
    wakes: 0,
    hits: 1,
    starts: 1,
    idleMs: 0,
  });
  const light = { scenario: "light", outcome: outcome(10) } as const;
  const batch = { scenario: "batch", outcome: outcome(9_000) } as const;
  expect(figuresOf([light, batch])).toMatchObject({ p50: 10, p95: 10, conflictsPerJob: 1, cacheHits: 1 });
  expect(figuresOf([batch])).toMatchObject({ p95: 9_000 });
});
