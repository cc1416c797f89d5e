import fc from "fast-check";
import { expect, it } from "vitest";
import { addToLots, type Lot, lotsOfPieces, sumOfLots, takeOldest } from "./lots.ts";

const lots = fc
  .uniqueArray(fc.record({ startAt: fc.nat(9), micro: fc.bigInt({ min: 1n, max: 50n }) }), {
    selector: ({ startAt }) => startAt,
  })
  .map((all): Lot[] => all.toSorted((a, b) => a.startAt - b.startAt));

it("adds to a month, takes from it, and keeps no empty one", () => {
  const one = addToLots([{ startAt: 5, micro: 2n }], 3, 4n);
  expect(one).toEqual([
    { startAt: 3, micro: 4n },
    { startAt: 5, micro: 2n },
  ]);
  expect(addToLots(one, 3, -4n)).toEqual([{ startAt: 5, micro: 2n }]);
});

it("takes exactly the amount, the oldest credits first, and never more than there is", () => {
  fc.assert(
    fc.property(lots, lots, fc.bigInt({ min: 1n, max: 400n }), (a, b, micro) => {
      const accounts = [
        { account: "a", lots: a },
        { account: "b", lots: b },
      ];
      const pieces = takeOldest(accounts, micro);
      if (pieces === null) {
        expect(sumOfLots([...a, ...b])).toBeLessThan(micro);
        return;
      }
      expect(sumOfLots(pieces)).toBe(micro);
      expect(sumOfLots(lotsOfPieces(pieces))).toBe(micro);
      const newest = Math.max(...pieces.map(({ startAt }) => startAt));
      for (const { account, lots: had } of accounts) {
        const left = pieces
          .filter((piece) => piece.account === account)
          .reduce<readonly Lot[]>((rest, piece) => addToLots(rest, piece.startAt, -piece.micro), had);
        expect(left.filter((lot) => lot.micro < 0n || lot.startAt < newest)).toEqual([]);
      }
    }),
  );
});
