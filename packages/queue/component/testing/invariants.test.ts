import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Chaos, randomFrom } from "./chaos.fixture.ts";

const sequences = 24;
const steps = 60;
let doubled = 0;

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(new Date("2026-11-21T08:00:00Z"));
  // The queue logs ends that the app refused.
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("invariants", () => {
  it.each(Array.from({ length: sequences }, (_, n) => n + 1))(
    "in any order of calls the invariants hold, every job ends, and nothing is left: seed %d",
    async (seed) => {
      const random = randomFrom(seed);
      vi.spyOn(Math, "random").mockImplementation(random);
      const chaos = new Chaos(random);
      await chaos.begin();
      for (let n = 0; n < steps; n += 1) await chaos.step();
      await chaos.rest();
      for (const [what, rows] of Object.entries(await chaos.left())) expect(rows, what).toEqual([]);
      const kept = await chaos.forgotten();
      for (const [what, rows] of Object.entries(kept)) expect(rows, `${what}, kept`).toEqual([]);
      doubled += chaos.doubled;
    },
  );

  it("these sequences include jobs that two workers had at once", () => expect(doubled).toBeGreaterThan(10));
});
