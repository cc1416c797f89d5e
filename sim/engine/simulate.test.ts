import { describe, expect, it } from "vitest";
import { policies } from "../policies/all.ts";
import { drawTrace, scenarioNames } from "../scenarios/trace.ts";
import { run, simulate } from "./simulate.ts";

const load = { devices: 60, jobs: 300, seed: 11, load: 0.4 };
const plenty = 5_000_000;

describe.each(policies)("$name", (policy) => {
  it.each(scenarioNames)("a policy runs no job of the scenario `%s` twice, and loses none", (scenario) => {
    const { world } = run(policy, drawTrace(scenario, load), plenty, "done");
    // A policy that gives up after five conflicts may not finish in time, but nothing runs twice.
    const done = world.doneTimes.filter((times) => times === 1).length;
    const held = new Set([...world.fleet.jobs].filter((job) => job >= 0));
    const notThere = world.trace.jobs - done - held.size - world.lane.ready;
    expect(Math.max(...world.doneTimes)).toBeLessThanOrEqual(1);
    expect(done).toBe(world.done);
    expect(notThere).toBeGreaterThanOrEqual(0);
    if (!policy.readsLengths && !policy.claimsFirst) {
      expect(done).toBe(world.trace.jobs);
      expect(world.lane.ready).toBe(0);
      expect(held.size).toBe(0);
    }
  });

  it("a policy gives the same outcome for the same seed, and a different one for a different seed", () => {
    const outcome = (seed: number) => simulate(policy, drawTrace("bursts", { ...load, seed }), plenty);
    expect(outcome(3)).toEqual(outcome(3));
    expect(outcome(4)).not.toEqual(outcome(3));
  });

  it("a simulation counts one wait for each start, and one for each job that never started", () => {
    const outcome = simulate(policy, drawTrace("light", load), plenty);
    expect(outcome.waits.length).toBe(outcome.starts + outcome.unstarted);
    expect(outcome.starts).toBeGreaterThanOrEqual(outcome.jobs - outcome.unstarted);
    expect(outcome.hits).toBeLessThanOrEqual(outcome.starts);
    expect(Math.min(...outcome.waits)).toBeGreaterThan(0);
  });
});

it("a simulation that is cut off counts the jobs that still wait", () => {
  const [sharedHead] = policies;
  const outcome = simulate(sharedHead!, drawTrace("batch", load), 600);
  expect(outcome.unstarted).toBeGreaterThan(0);
  expect(outcome.events).toBe(600);
});
