import { expect, it } from "vitest";
import { othersFirst, priorityOrder } from "./priority.ts";

const cycle = Array.from({ length: 16 }, (_, turn) => turn);

it("goes from high to low in seven turns of eight, and starts lower in the eighth", () => {
  for (const turn of cycle) {
    const expected = turn === 7 ? [2, 1, 0] : turn === 15 ? [1, 2, 0] : [0, 1, 2];
    expect(priorityOrder(turn)).toEqual(expected);
    expect(priorityOrder(turn + 16 * 1_000)).toEqual(expected);
  }
});

it("tries other lanes first in one turn of eight, in which the priorities keep their order", () => {
  const others = cycle.filter(othersFirst);
  expect(others).toEqual([3, 11]);
  for (const turn of others) expect(priorityOrder(turn)).toEqual([0, 1, 2]);
});
