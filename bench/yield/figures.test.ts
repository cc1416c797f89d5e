import { expect, it } from "vitest";
import { type Phase, type Return, yieldBars, yieldFigures, yieldPhases } from "./figures.ts";
import { stillSince } from "./runner-watch.ts";

const returnIn = (phase: Phase, stillMs: number, memoryMs: number | null = 1_000): Return => ({
  phase,
  stillMs,
  memoryMs,
});

it("takes each bar at its very height", () => {
  const figures = yieldFigures(yieldPhases.map((phase) => returnIn(phase, 250)));
  expect(yieldBars(figures).map(({ met }) => met)).toEqual([true, true, true, true, true]);
});

it.each(yieldPhases)("misses that of %s when it alone takes longer", (slow) => {
  const figures = yieldFigures(yieldPhases.map((phase) => returnIn(phase, phase === slow ? 251 : 10)));
  expect(yieldBars(figures).map(({ met }) => met)).toEqual([
    ...yieldPhases.map((phase) => phase !== slow),
    true,
  ]);
});

it("misses that of a phase that was not met with", () => {
  const figures = yieldFigures([returnIn("prefill", 10)]);
  expect(yieldBars(figures).map(({ met }) => met)).toEqual([false, true, false, false, true]);
});

it("counts memory only where it had to be freed", () => {
  const figures = yieldFigures([returnIn("prefill", 10, 1_001), returnIn("prefill", 10, null)]);
  expect(figures.memoryBackP95).toBe(1_001);
  expect(yieldBars(figures).at(-1)?.met).toBe(false);
});

it("finds when a process began to stand still, but for a tick", () => {
  const samples = [
    { at: 0, ticks: 5 },
    { at: 10, ticks: 7 },
    { at: 20, ticks: 8 },
    { at: 30, ticks: 8 },
    { at: 40, ticks: 9 },
  ];
  expect(stillSince(samples, 1)).toBe(20);
  expect(stillSince(samples, 0)).toBe(40);
  expect(stillSince([], 1)).toBeNull();
});
