import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ringSize, seats } from "../placement.ts";
import { arcOf, type Range, wakingArcs } from "./arcs.ts";

const points = (ranges: readonly Range[]) =>
  ranges.map(({ from, to }) => [from / seats, to / seats] as const);
const has = (ranges: readonly Range[], point: number) =>
  ranges.some(({ from, to }) => from <= point * seats && point * seats < to);

/** Realistic positions: whole and fractional, at the ring's ends, and close together. */
const position = fc.oneof(
  fc.integer({ min: 0, max: ringSize - 1 }),
  fc.double({ min: 0, max: ringSize, maxExcluded: true, noNaN: true }),
  fc.constantFrom(0, 0.5, 1, ringSize - 1, ringSize - 0.5),
);
const ring = fc.uniqueArray(position, { minLength: 1, maxLength: 20 });
const point = fc.integer({ min: 0, max: ringSize - 1 });

/** The positions after each one, in the order in which they are read. */
function following(sorted: readonly number[], at: number): readonly number[] {
  return [1, 2].map((step) => sorted[(at + step) % sorted.length] ?? NaN);
}

describe("arcOf", () => {
  it.each([
    ["up to the next", 10, 20, [[10, 20]]],
    [
      "around the end",
      60_000,
      5,
      [
        [60_000, ringSize],
        [0, 5],
      ],
    ],
    ["around the end, to its very start", 60_000, 0, [[60_000, ringSize]]],
    ["of the whole ring, without another position", 7, 7, [[0, ringSize]]],
    ["between two points", 7.5, 9, [[8, 9]]],
    ["with no point between", 7.2, 7.8, []],
    ["after the last point", ringSize - 0.5, 3, [[0, 3]]],
  ])("an arc covers the points %s", (_, from, next, expected) => {
    expect(points(arcOf(from, next))).toEqual(expected);
  });

  it("every point belongs to the arc of exactly one of any set of positions", () => {
    fc.assert(
      fc.property(ring, point, (positions, at) => {
        const sorted = [...positions].sort((a, b) => a - b);
        const owners = sorted.filter((own, i) => has(arcOf(own, following(sorted, i)[0] ?? own), at));
        expect(owners).toHaveLength(1);
        expect(owners[0]).toBe(sorted.findLast((own) => own <= at) ?? sorted.at(-1));
      }),
    );
  });

  it("arcs tile the ring without gap or overlap", () => {
    fc.assert(
      fc.property(ring, (positions) => {
        const sorted = [...positions].sort((a, b) => a - b);
        const pieces = sorted
          .flatMap((own, i) => points(arcOf(own, following(sorted, i)[0] ?? own)))
          .sort(([a], [b]) => a - b);
        expect(pieces[0]?.[0]).toBe(0);
        expect(pieces.at(-1)?.[1]).toBe(ringSize);
        for (const [i, [from]] of pieces.entries()) if (i > 0) expect(from).toBe(pieces[i - 1]?.[1]);
      }),
    );
  });
});

describe("wakingArcs", () => {
  it("each point wakes one worker, and one backup if there are two", () => {
    fc.assert(
      fc.property(ring, point, (positions, at) => {
        const sorted = [...positions].sort((a, b) => a - b);
        const arcs = sorted.map((own, i) => wakingArcs(own, following(sorted, i)));
        expect(arcs.filter(({ own }) => has(own, at))).toHaveLength(1);
        const backups = arcs.filter(({ late }) => has(late, at));
        expect(backups).toHaveLength(sorted.length > 1 ? 1 : 0);
        for (const { own } of backups) expect(has(own, at)).toBe(false);
      }),
    );
  });

  it("a single worker is woken by the whole ring", () => {
    expect(points(wakingArcs(9, []).own)).toEqual([[0, ringSize]]);
    expect(wakingArcs(9, []).late).toEqual([]);
  });

  it("slow workers, whose positions are beyond the ring, wake at the same points", () => {
    const slow = 2 * ringSize;
    expect(wakingArcs(slow + 1, [slow + 5, slow + 9])).toEqual(wakingArcs(1, [5, 9]));
  });

  it("two workers at one position have no backup between them", () => {
    expect(points(wakingArcs(1, [5, 5]).own)).toEqual([[1, 5]]);
    expect(wakingArcs(1, [5, 5]).late).toEqual([]);
  });
});
