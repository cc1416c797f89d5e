import { describe, expect, it } from "vitest";
import { randomFrom } from "../structures/random.ts";
import { compareSpeeds } from "./compare.ts";
import { speedPolicies } from "./policies.ts";
import { simulateSpeeds } from "./simulate.ts";
import { drawJobs, mixedFleet } from "./trace.ts";

const options = { devices: 60, jobs: 1_000, seed: 1 };

describe("the simulation of a mixed fleet", () => {
  it("runs every job once, never faster than on the fastest device", () => {
    const fleet = mixedFleet(20);
    const jobs = drawJobs(randomFrom(3), fleet, { jobs: 200, load: 0.9, arriving: "bursts" });
    const shortest = Math.min(...jobs.map(({ size }) => (1_000 * size.output) / 120));
    for (const policy of speedPolicies) {
      const times = simulateSpeeds(policy, fleet, jobs, randomFrom(4));
      expect(times).toHaveLength(jobs.length);
      expect(Math.min(...times)).toBeGreaterThanOrEqual(shortest);
    }
  });

  it("repeats itself with the same seed", () => {
    expect(compareSpeeds(options)).toEqual(compareSpeeds(options));
  });

  it("shows that the built policy has at most 0.7 of the 95th percentile of a blind one, at every load", () => {
    for (const { policies } of compareSpeeds(options)) {
      const built = policies["as built: both"]!;
      expect(built.p95Ms).toBeLessThanOrEqual(0.7 * policies["blind"]!.p95Ms);
    }
  });
});
