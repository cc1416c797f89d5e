import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hash16, positionOf, ringPositionFor, ringSize, slotOf } from "./placement.ts";

const slots = fc.integer({ min: 0, max: 14 }).map((power) => 2 ** power);
const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

function slotsAway(place: number, affinity: string, of: number): number {
  const between = ringSize / of;
  const first = Math.floor(hash16(affinity) / between);
  return (slotOf(place) / between - first + of) % of;
}

describe("ringPositionFor", () => {
  it("placement puts jobs of one affinity at one slot, for any requester", () => {
    fc.assert(
      fc.property(fc.string(), slots, unit, unit, (affinity, count, a, b) => {
        const place = ringPositionFor({ affinity, requester: "ada", weight: 3 }, count, [a, b]);
        expect(slotsAway(place, affinity, count)).toBe(0);
      }),
    );
  });

  it("placement puts later jobs of a submission at the next slots, around the ring", () => {
    fc.assert(
      fc.property(fc.string(), slots, fc.nat(499), unit, (affinity, count, ordinal, a) => {
        const place = ringPositionFor({ affinity, weight: 1, ordinal }, count, [a, 0]);
        expect(slotsAway(place, affinity, count)).toBe(ordinal % count);
      }),
    );
  });

  it("placement spreads an affinity over exactly its width", () => {
    const away = Array.from({ length: 40 }, (_, draw) =>
      slotsAway(ringPositionFor({ affinity: "hot", weight: 1, width: 4 }, 64, [draw / 40, 0]), "hot", 64),
    );
    expect([...new Set(away)]).toEqual([0, 1, 2, 3]);
    expect(away.filter((slot) => slot === 0)).toHaveLength(10);
  });

  it("placement puts jobs without an affinity at a random slot", () => {
    const points = [0, 0.25, 0.5, 0.99].map((draw) => slotOf(ringPositionFor({ weight: 1 }, 4, [draw, 0])));
    expect(points).toEqual([0, ringSize / 4, ringSize / 2, (ringSize * 3) / 4]);
  });
});

describe("positionOf", () => {
  it("a worker's position is on the ring, and equal for equal keys", () => {
    fc.assert(
      fc.property(fc.string(), (key) => {
        const position = positionOf(key);
        expect(position).toBeGreaterThanOrEqual(0);
        expect(position).toBeLessThan(ringSize);
        expect(positionOf(key)).toBe(position);
      }),
    );
  });

  it("the positions of many workers differ, and spread over the ring", () => {
    const positions = Array.from({ length: 16_000 }, (_, n) => positionOf(`key-${String(n)}`));
    expect(new Set(positions).size).toBe(16_000);
    const perSixteenth = Array.from({ length: 16 }, () => 0);
    for (const at of positions) {
      const part = Math.floor((at / ringSize) * 16);
      perSixteenth[part] = (perSixteenth[part] ?? 0) + 1;
    }
    // Six standard deviations.
    for (const count of perSixteenth) expect(Math.abs(count - 1_000)).toBeLessThan(190);
  });
});
