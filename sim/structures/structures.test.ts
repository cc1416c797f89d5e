import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CellLists } from "./cell-lists.ts";
import { EventQueue } from "./event-queue.ts";
import { IndexedSet } from "./indexed-set.ts";
import { LastChanges } from "./last-changes.ts";
import { randomFrom } from "./random.ts";
import { zipf } from "./zipf.ts";

const cellCount = 2_048;
const cells = fc.nat(cellCount - 1);

describe("EventQueue", () => {
  it("EventQueue returns events in the order of their times", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000), { maxLength: 3_000 }), (times) => {
        const queue = new EventQueue();
        times.forEach((at, index) => queue.push(at, 1, index, at));
        const event = { at: 0, kind: 0, a: 0, b: 0 };
        const out: number[] = [];
        const seen = new Set<number>();
        while (queue.pop(event)) {
          expect(event.b).toBe(event.at);
          out.push(event.at);
          seen.add(event.a);
        }
        expect(out).toEqual(times.toSorted((a, b) => a - b));
        expect(seen.size).toBe(times.length);
      }),
    );
  });
});

describe("CellLists", () => {
  it("CellLists finds the nearest occupied cell both ways, and keeps the order within a cell", () => {
    const step = fc.record({ member: fc.nat(49), cell: cells, front: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), cells, (steps, from) => {
        const lists = new CellLists(cellCount, 50);
        const model = new Map<number, number[]>();
        for (const { member, cell, front } of steps) {
          const at = lists.cellOf(member);
          if (at >= 0) {
            lists.remove(member);
            model.set(
              at,
              (model.get(at) ?? []).filter((other) => other !== member),
            );
            continue;
          }
          lists.add(member, cell, front);
          const there = model.get(cell) ?? [];
          model.set(cell, front ? [member, ...there] : [...there, member]);
        }
        const occupied = [...model].filter(([, all]) => all.length > 0).map(([cell]) => cell);
        const distance = (a: number, b: number) => (b - a + cellCount) % cellCount;
        const next = Math.min(...occupied.map((cell) => distance(from, cell)));
        const previous = Math.min(...occupied.map((cell) => distance(cell, from)));
        expect(lists.cellFrom(from)).toBe(occupied.length === 0 ? -1 : (from + next) % cellCount);
        expect(lists.cellUpTo(from)).toBe(
          occupied.length === 0 ? -1 : (from - previous + cellCount) % cellCount,
        );
        for (const [cell, all] of model) {
          expect(lists.front(cell)).toBe(all[0] ?? -1);
          expect(lists.back(cell)).toBe(all.at(-1) ?? -1);
        }
      }),
    );
  });
});

describe("LastChanges", () => {
  it("LastChanges finds the latest change in any range, also around the ring", () => {
    fc.assert(
      fc.property(fc.array(cells, { maxLength: 50 }), cells, cells, (changes, from, to) => {
        const tree = new LastChanges(cellCount);
        changes.forEach((cell, at) => tree.note(cell, at));
        const width = to === from ? cellCount : (to - from + cellCount) % cellCount;
        const within = changes.map((cell, at) =>
          (cell - from + cellCount) % cellCount < width ? at : -Infinity,
        );
        expect(tree.latest(from, to)).toBe(Math.max(-Infinity, ...within));
      }),
    );
  });
});

describe("IndexedSet", () => {
  it("IndexedSet contains the added members that were not removed, and draws each of them", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(19), { maxLength: 60 }), fc.nat(), (toggles, seed) => {
        const set = new IndexedSet(20);
        const model = new Set<number>();
        for (const member of toggles) {
          if (model.delete(member)) set.remove(member);
          else {
            model.add(member);
            set.add(member);
          }
        }
        const random = randomFrom(seed);
        const drawn = new Set(Array.from({ length: 600 }, () => set.draw(random)));
        expect(drawn).toEqual(model.size === 0 ? new Set([-1]) : model);
      }),
    );
  });
});

it("zipf draws the first rank twice as often as the second", () => {
  const random = randomFrom(1);
  const draw = zipf(100);
  const counts = new Map<number, number>();
  for (let one = 0; one < 20_000; one += 1) {
    const rank = draw(random);
    counts.set(rank, (counts.get(rank) ?? 0) + 1);
  }
  expect((counts.get(0) ?? 0) / (counts.get(1) ?? 1)).toBeCloseTo(2, 0);
  expect(Math.max(...counts.keys())).toBeLessThan(100);
});
