import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allIdle, deal, sizeOf, stateOf, steal } from "./cluster.ts";
import { Deque } from "./deque.ts";
import { Shift } from "./simulate.ts";

describe("Deque", () => {
  it("a deque behaves like an array with push, shift and pop", () => {
    const step = fc.constantFrom("push", "push", "push front", "front", "back");
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const deque = new Deque<number>();
        const model: number[] = [];
        steps.forEach((what, index) => {
          if (what === "push") {
            deque.push(index);
            model.push(index);
          } else if (what === "push front") {
            deque.pushFront(index);
            model.unshift(index);
          } else {
            const taken = what === "front" ? deque.takeFront() : deque.takeBack();
            expect(taken).toBe(what === "front" ? model.shift() : model.pop());
          }
          expect(deque.size).toBe(model.length);
          expect(deque.back).toBe(model.at(-1));
        });
      }),
    );
  });
});

const fleets = fc.record({
  workers: fc.integer({ min: 1, max: 12 }),
  jobs: fc.nat(60),
  seed: fc.nat(),
  stretches: fc.array(fc.nat(900), { minLength: 1, maxLength: 6 }),
});
const namesOf = (count: number) => Array.from({ length: count }, (_, index) => `w${index + 1}`);
const allJobs = (count: number) => Array.from({ length: count }, (_, index) => `job${index + 1}`);

describe("a cluster", () => {
  it("a cluster deals every job once, in blocks that differ by one at most", () => {
    fc.assert(
      fc.property(fleets, ({ workers, jobs, seed }) => {
        const names = namesOf(workers);
        const cluster = deal(names, jobs, seed);
        const sizes = names.map((name) => sizeOf(cluster, name));
        expect(sizes.toSorted((a, b) => b - a)).toEqual(sizes);
        expect((sizes[0] ?? 0) - (sizes.at(-1) ?? 0)).toBeLessThanOrEqual(1);
        const dealt = names.flatMap((name) =>
          sizesDown(sizeOf(cluster, name), () => cluster.deques.get(name)?.takeFront()),
        );
        expect(dealt).toEqual(allJobs(jobs));
      }),
    );
  });

  it("a cluster loses no job and runs none twice, however the time is divided, and is all idle only at the end", () => {
    fc.assert(
      fc.property(fleets, ({ workers, jobs, seed, stretches }) => {
        const names = namesOf(workers);
        const cluster = deal(names, jobs, seed);
        const shift = new Shift(cluster);
        const done: string[] = [];
        for (const duration of [...stretches, 100_000]) {
          for (const { completed } of shift.run(duration).values()) done.push(...completed);
          const waiting = names.reduce((total, name) => total + sizeOf(cluster, name), 0);
          expect(done.length + cluster.inFlight.size + waiting).toBe(jobs);
          expect(allIdle(cluster)).toBe(done.length === jobs);
          expect(names.every((name) => stateOf(cluster, name) === "idle")).toBe(allIdle(cluster));
        }
        expect(new Set(done)).toEqual(new Set(allJobs(jobs)));
        expect(done.length).toBe(jobs);
      }),
    );
  });

  it("a thief steals another device's last job and never its own", () => {
    const cluster = deal(["w1", "w2"], 3, 1);
    expect(steal(cluster, "w2", ["w1", "w2"])).toEqual({
      kind: "stolen",
      victim: "w1",
      job: "job2",
      found: 2,
    });
    expect(steal(cluster, "w2", ["w1"])).toEqual({ kind: "stolen", victim: "w1", job: "job1", found: 1 });
    expect(steal(cluster, "w2", ["w1", "w2"])).toEqual({ kind: "nothing to steal" });
  });

  it("a thief draws from all busy victims, and the same ones for the same seed", () => {
    const victims = (seed: number) => {
      const cluster = deal(["w1", "w2", "w3"], 300, seed);
      return Array.from({ length: 60 }, () => {
        const result = steal(cluster, "w3", ["w1", "w2"]);
        return result.kind === "stolen" ? result.victim : "none";
      });
    };
    expect(victims(9)).toEqual(victims(9));
    expect(victims(10)).not.toEqual(victims(9));
    expect(new Set(victims(9))).toEqual(new Set(["w1", "w2"]));
  });
});

function sizesDown(count: number, take: () => string | undefined): (string | undefined)[] {
  return Array.from({ length: count }, take);
}
