import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ringPositionAt, ringSize, seats } from "../placement.ts";
import { arcOf } from "../rings/arcs.ts";
import { compareSeats, fullScan, localScan, stretchesOf } from "./scans.ts";

it.each([
  [1, 1 / 64, 1],
  [16, 1 / 64, 1],
  [64, 1 / 64, 1 / 4],
  [256, 1 / 64, 1 / 16],
  [1_024, 1 / 256, 1 / 64],
  [16_384, 1 / 4_096, 1 / 1_024],
])(
  "a scan of a lane with %i slots covers %d of it at a job's end, and %d at the start",
  (slots, end, start) => {
    expect(localScan(slots)).toBe(end);
    expect(fullScan(slots)).toBe(start);
  },
);

const whole = arcOf(0, 0);

describe("stretchesOf", () => {
  it("a search at home starts in each slot at the seat after the last served one", () => {
    const home = [{ from: ringPositionAt(0), to: ringPositionAt(ringSize / 2) }];
    expect(stretchesOf(home, 4, ringPositionAt(99) + 7, Math.random)).toEqual([
      { from: 0, split: 8, to: ringPositionAt(ringSize / 4) },
      {
        from: ringPositionAt(ringSize / 4),
        split: ringPositionAt(ringSize / 4) + 8,
        to: ringPositionAt(ringSize / 2),
      },
    ]);
  });

  it("a search at home covers any home once, with only a few stretches more than sixteen", () => {
    const position = fc.double({ min: 0, max: ringSize, maxExcluded: true, noNaN: true });
    const slots = fc.integer({ min: 0, max: 14 }).map((power) => 2 ** power);
    const place = fc.integer({ min: 0, max: ringSize * seats - 1 });
    const draw = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(position, position, slots, place, draw, (from, next, count, after, random) => {
        const home = arcOf(from, next);
        const stretches = stretchesOf(home, count, after, () => random);
        expect(stretches.length).toBeLessThanOrEqual(16 + 2 * home.length);
        const sizes = (ranges: readonly { from: number; to: number }[]) =>
          ranges.reduce((sum, range) => sum + range.to - range.from, 0);
        expect(sizes(stretches)).toBe(sizes(home));
        for (const stretch of stretches) {
          expect(stretch.from).toBeLessThan(stretch.to);
          expect(stretch.split).toBeGreaterThanOrEqual(stretch.from);
          expect(stretch.split).toBeLessThanOrEqual(stretch.to);
          expect(home.some(({ from: start, to }) => start <= stretch.from && stretch.to <= to)).toBe(true);
        }
      }),
    );
  });

  it("a search at home starts at a random slot if a stretch has several", () => {
    const draws = [0, 0.5, 0.99];
    const firsts = draws.map((draw) => stretchesOf(whole, 64, 0, () => draw)[0]?.split);
    const slot = (ringSize / 64) * seats;
    expect(firsts).toEqual([1, 2 * slot + 1, 3 * slot + 1]);
  });
});

describe("compareSeats", () => {
  it("seats take turns from the one after the last served one, in any slot", () => {
    const seatsAt = (...given: number[]) => given.map((seat, i) => ringPositionAt(1_000 - i) + seat);
    const sorted = seatsAt(3, 9, 5, 7).sort((a, b) => compareSeats(a, b, ringPositionAt(44) + 5));
    expect(sorted.map((place) => place % seats)).toEqual([7, 9, 3, 5]);
  });
});
