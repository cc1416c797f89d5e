import { expect, it } from "vitest";
import { commitMs, readMs } from "../figures.ts";
import { homeSlots } from "../policies/home-slots.ts";
import type { Policy } from "../policies/policy.ts";
import { ring } from "../policies/ring.ts";
import { drawTrace } from "../scenarios/trace.ts";
import { claimById, commit, complete, wait } from "./claim.ts";
import { deviceState } from "./states.ts";
import { becomeReady } from "./submit.ts";
import { createWorld, type World } from "./world.ts";

const trace = drawTrace("light", { devices: 10, jobs: 100, seed: 5, load: 0.3 });

function worldOf(policy: Policy, waiting: number): World {
  const world = createWorld(policy, trace);
  world.lane.slots = 16;
  for (let device = 0; device < waiting; device += 1) {
    world.fleet.homes.add(device, world.fleet.positionOf(device));
    wait(world, device);
  }
  return world;
}

function put(world: World, job: number, cell: number): void {
  world.places[job] = cell;
  becomeReady(world, job, 0);
}

it("the first of two simultaneous claims gets the job, and the second is a conflict", () => {
  const world = worldOf(homeSlots(false, "back"), 2);
  world.now = 1e9;
  put(world, 0, 0);
  world.now += 1;
  claimById(world, 0, 0, false);
  claimById(world, 1, 0, false);
  world.now += 2 * readMs + commitMs;
  commit(world, 0);
  commit(world, 1);
  expect(world.fleet.stateOf(0)).toBe(deviceState.busy);
  expect(world.measures.conflicts).toBe(1);
  expect(world.fleet.jobOf(1)).toBe(-1);
});

it("a device keeps waiting without a conflict if the job is gone when its claim begins", () => {
  const world = worldOf(homeSlots(false, "back"), 1);
  world.now = 1e9;
  put(world, 0, 0);
  world.lane.take(0, world.now);
  claimById(world, 0, 0, false);
  expect(world.attempts.size).toBe(0);
  expect(world.fleet.stateOf(0)).toBe(deviceState.waiting);
  expect(world.measures.conflicts).toBe(0);
});

it("a device searches for the next job at the end of a job only if that job had waited a while", () => {
  for (const [waited, next] of [
    [0, -1],
    [5_000, 1],
  ] as const) {
    const world = worldOf(ring(false), 1);
    world.now = 1e9;
    put(world, 0, 77);
    world.now += waited;
    claimById(world, 0, 0, false);
    world.now += 20;
    commit(world, 0);
    put(world, 1, 78);
    world.now += 20;
    complete(world, 0);
    expect(world.attempts.get(0)?.found.job).toBe(next);
  }
});

it("a prefix is spread when two more of its jobs wait behind the one that a waiting device claims", () => {
  for (const [behind, width] of [
    [1, 1],
    [2, 2],
  ] as const) {
    const world = worldOf(ring(true), 1);
    world.now = 1e9;
    trace.prefixes.fill(7, 0, 3);
    for (let job = 0; job <= behind; job += 1) put(world, job, 77);
    // Returned jobs go to the front.
    claimById(world, 0, behind, false);
    world.now += 20;
    commit(world, 0);
    expect(world.lane.widthOf(7)).toBe(width);
  }
});

it("a job added to a range that a completion found empty is a conflict", () => {
  const all = 16 * 16;
  const world = worldOf(ring(false, { localSlots: all }), 1);
  world.now = 1e9;
  world.fleet.waiting.remove(0);
  complete(world, 0);
  world.now += 5;
  put(world, 0, 77);
  world.now += 20;
  commit(world, 0);
  expect(world.measures.conflicts).toBe(1);
});
