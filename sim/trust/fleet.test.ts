import { describe, expect, it } from "vitest";
import { simulateFleet } from "./fleet.ts";
import { simulateFleets } from "./fleets.ts";

const options = { devices: 200, jobs: 400, seed: 1 };

describe("a simulated fleet", () => {
  const fleets = simulateFleets(options);

  it("has each kind of dishonest devices out within 50 jobs", () => {
    for (const { dishonest, kind, caught } of fleets) {
      if (dishonest > 0) expect([kind, caught >= 0.99]).toEqual([kind, true]);
    }
  });

  it("accuses no honest device, and spends at most three hundredths on replays if all are honest", () => {
    const [honest] = fleets;
    expect(honest).toMatchObject({ dishonest: 0, wrongDelivered: 0, honestAccused: 0 });
    expect(honest?.overhead).toBeLessThanOrEqual(0.03);
  });

  it("lets nobody with two devices clear their own answers, also in an office of four devices", () => {
    const seeds = Array.from({ length: 60 }, (_, seed) => seed);
    const pairs = { fraud: "smaller-model", honestJobs: 0, inPairs: true } as const;
    const office = (ofOneOwner: boolean) =>
      seeds.map((seed) =>
        simulateFleet({ devices: 4, jobs: 100, dishonest: 0.5, seed, behavior: { ...pairs, ofOneOwner } }),
      );
    const wrongIn = (offices: ReturnType<typeof office>): number =>
      offices.reduce((sum, { wrongDelivered }) => sum + wrongDelivered, 0);
    const ofOne = office(true);
    expect(ofOne.map(({ caught, honestAccused }) => [caught, honestAccused])).toEqual(
      seeds.map(() => [1, 0]),
    );
    expect(wrongIn(ofOne)).toBeLessThan(0.7 * wrongIn(office(false)));
  });

  it("repeats itself with the same seed", () => {
    const fleet = { ...options, devices: 50, jobs: 100, dishonest: 0, behavior: null };
    expect(simulateFleet(fleet)).toEqual(simulateFleet(fleet));
  });
});
