import { array, assert, integer, oneof, property } from "fast-check";
import { describe, expect, it } from "vitest";
import {
  countOf,
  countUpTo,
  emptySketch,
  longestMs,
  mergeSketches,
  mostBins,
  quantile,
  relativeError,
  sketchOf,
} from "./sketch.ts";

/** As many short ones as long ones. */
const duration = oneof(integer({ min: 0, max: 1_000 }), integer({ min: 0, max: longestMs }));
const durations = array(duration, { maxLength: 200 });
const quantiles = [0, 0.25, 0.5, 0.9, 0.95, 0.99, 1];

describe("a sketch", () => {
  it("knows each quantile within its relative error", () => {
    assert(
      property(array(duration, { minLength: 1, maxLength: 200 }), (values) => {
        const sorted = [...values].sort((a, b) => a - b);
        for (const q of quantiles) {
          const exact = sorted[Math.floor(q * (sorted.length - 1))]!;
          const found = quantile(sketchOf(values), q)!;
          // Values up to 1 ms are not told apart.
          expect(Math.abs(found - exact)).toBeLessThanOrEqual(Math.max(1, exact * (relativeError + 1e-6)));
        }
      }),
    );
    expect(relativeError).toBeLessThan(0.05);
  });

  it("is the same whether its values come at once or in parts, in any order", () => {
    assert(
      property(durations, durations, durations, (a, b, c) => {
        const whole = sketchOf([...a, ...b, ...c]);
        const left = mergeSketches([mergeSketches([sketchOf(a), sketchOf(b)]), sketchOf(c)]);
        const right = mergeSketches([sketchOf(c), sketchOf(b), sketchOf(a)]);
        expect(left).toEqual(whole);
        expect(right).toEqual(whole);
        expect(countOf(whole)).toBe(a.length + b.length + c.length);
      }),
    );
  });

  it("does not change what it merges", () => {
    const [one, other] = [sketchOf([1, 20]), sketchOf([20, 300])];
    mergeSketches([one, other]);
    expect([one, other]).toEqual([sketchOf([1, 20]), sketchOf([20, 300])]);
  });

  it("has a bounded size, whatever its values", () => {
    const spread = Array.from({ length: 200_000 }, (_, at) => 1.0001 ** at);
    const sketch = sketchOf([-5, 0, ...spread, Number.MAX_VALUE, Infinity]);
    expect(sketch.bins.length).toBeLessThanOrEqual(mostBins);
    expect(sketch.bins.at(-1)).toBe(mostBins - 1);
    expect(countOf(sketch)).toBe(spread.length + 4);
  });

  it("survives as JSON", () => {
    assert(
      property(durations, (values) => {
        const sketch = sketchOf(values);
        expect(JSON.parse(JSON.stringify(sketch))).toEqual(sketch);
      }),
    );
  });

  it("counts exactly up to a power of two", () => {
    assert(
      property(durations, (values) => {
        const sketch = sketchOf(values);
        for (let doublings = 0; doublings <= 28; doublings += 1) {
          const exact = values.filter((value) => value <= 2 ** doublings).length;
          expect(countUpTo(sketch, doublings)).toBe(exact);
        }
      }),
    );
    const borders = Array.from({ length: 29 }, (_, doublings) => 2 ** doublings);
    expect(borders.map((_, doublings) => countUpTo(sketchOf(borders), doublings))).toEqual(
      borders.map((_, doublings) => doublings + 1),
    );
  });

  it("has no quantile without values", () => {
    expect(quantile(emptySketch(), 0.5)).toBeNull();
    expect(countOf(emptySketch())).toBe(0);
  });
});
