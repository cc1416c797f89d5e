import { expect, it } from "vitest";
import { idleSince } from "../support/runner-watch.ts";
import { type Phase, type Return, yieldBars, yieldFigures, yieldPhases } from "./figures.ts";

const returnIn = (phase: Phase, stillMs: number, memoryMs: number | null = 1_000): Return => ({
  phase,
  stillMs,
  memoryMs,
  neverIdle: false,
});

it("a donor meets each bar of yield at its exact limit", () => {
  const figures = yieldFigures(yieldPhases.map((phase) => returnIn(phase, 250)));
  expect(yieldBars(figures).map(({ met }) => met)).toEqual([true, true, true, true, true, true, true]);
});

it.each(yieldPhases)("a donor misses only the bar of %s if only that phase takes longer", (slow) => {
  const figures = yieldFigures(yieldPhases.map((phase) => returnIn(phase, phase === slow ? 251 : 10)));
  expect(yieldBars(figures).map(({ met }) => met)).toEqual([
    ...yieldPhases.map((phase) => phase !== slow),
    true,
    true,
  ]);
});

it("a donor misses the bar of a phase that was not measured", () => {
  const figures = yieldFigures([returnIn("prefill", 10)]);
  expect(yieldBars(figures).map(({ met }) => met)).toEqual([false, true, false, false, false, true, true]);
});

it("the memory figure counts only returns that had to free it", () => {
  const figures = yieldFigures([returnIn("prefill", 10, 1_001), returnIn("prefill", 10, null)]);
  expect(figures.memoryBackP95).toBe(1_001);
  expect(yieldBars(figures).at(-2)?.met).toBe(false);
});

it("a single return after which the runner never became idle misses a bar", () => {
  const calm = yieldPhases.flatMap((phase) => Array.from({ length: 40 }, () => returnIn(phase, 10)));
  const figures = yieldFigures([...calm, { ...returnIn("busy", 15_000), neverIdle: true }]);
  expect(yieldBars(figures).map(({ met }) => met)).toEqual([true, true, true, true, true, true, false]);
});

it("the memory bar is missed if no return had to free it", () => {
  const figures = yieldFigures([returnIn("prefill", 10, null)]);
  expect(yieldBars(figures).at(-2)).toMatchObject({ value: "not measured", met: false });
});

it("each phase has quartiles", () => {
  const figures = yieldFigures([10, 20, 30, 40, 50].map((ms) => returnIn("busy", ms)));
  expect(figures.phases.busy).toEqual({ returns: 5, p25: 20, p50: 30, p75: 40, p95: 50, max: 50 });
});

it("idleSince finds when a process became idle, except for a tick", () => {
  const samples = [
    { at: 0, ticks: 5 },
    { at: 10, ticks: 7 },
    { at: 20, ticks: 8 },
    { at: 30, ticks: 8 },
    { at: 40, ticks: 9 },
  ];
  expect(idleSince(samples, 1)).toBe(20);
  expect(idleSince(samples, 0)).toBe(40);
  expect(idleSince([], 1)).toBeNull();
});
