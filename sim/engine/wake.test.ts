import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ring } from "../policies/ring.ts";
import { drawTrace } from "../scenarios/trace.ts";
import { wait } from "./claim.ts";
import { deviceState } from "./states.ts";
import { becomeReady } from "./submit.ts";
import { claimLate, wake } from "./wake.ts";
import { createWorld, eventKind, type World } from "./world.ts";

const cellsOnRing = 65_536;
const trace = drawTrace("light", { devices: 40, jobs: 100, seed: 5, load: 0.3 });

function worldWith(waiting: number): World {
  const world = createWorld(ring(false), trace);
  world.lane.slots = 16;
  for (let device = 0; device < waiting; device += 1) {
    world.fleet.homes.add(device, world.fleet.positionOf(device));
    wait(world, device);
  }
  return world;
}

function woken(world: World): number[] {
  const event = { at: 0, kind: 0, a: 0, b: 0 };
  const devices: number[] = [];
  while (world.events.pop(event)) if (event.kind === eventKind.wake) devices.push(event.a);
  return devices;
}

describe("ring", () => {
  it("a ready job wakes a single waiting device, wherever it is on the ring", () => {
    fc.assert(
      fc.property(fc.nat(cellsOnRing - 1), (cell) => {
        const world = worldWith(1);
        world.places[0] = cell;
        becomeReady(world, 0, 0);
        expect(woken(world)).toEqual([0]);
        wake(world, 0);
        expect(world.attempts.get(0)?.found.job).toBe(0);
      }),
    );
  });

  it("a ready job wakes only the last device before it, wherever it is placed", () => {
    fc.assert(
      fc.property(fc.nat(cellsOnRing - 1), fc.integer({ min: 2, max: 40 }), (cell, waiting) => {
        const world = worldWith(waiting);
        world.places[0] = cell;
        becomeReady(world, 0, 0);
        const distances = Array.from(
          { length: waiting },
          (_, device) => (cell - world.fleet.positionOf(device) + cellsOnRing) % cellsOnRing,
        );
        const [waiter] = woken(world);
        expect(distances[waiter ?? -1]).toBe(Math.min(...distances));
        // No other device would find it after a wake.
        for (let device = 0; device < waiting; device += 1) wake(world, device);
        expect([...world.attempts.keys()]).toEqual([waiter]);
      }),
    );
  });

  it("the device before a dead waiter claims a late job, and the dead waiter is removed", () => {
    const world = worldWith(3);
    world.places[0] = 123;
    becomeReady(world, 0, 0);
    const [waiter] = woken(world);
    world.fleet.states[waiter!] = deviceState.dead;
    world.fleet.waiting.remove(waiter!);
    wake(world, waiter!);
    expect(world.attempts.size).toBe(0);
    claimLate(world, 0);
    expect(world.attempts.size).toBe(1);
    expect([...world.attempts.keys()]).not.toContain(waiter);
    expect(world.fleet.waiterRing.cellOf(waiter!)).toBe(-1);
  });

  it("no device claims a late job that is gone", () => {
    const world = worldWith(3);
    world.places[0] = 123;
    becomeReady(world, 0, 0);
    world.lane.take(0, 1);
    claimLate(world, 0);
    expect(world.attempts.size).toBe(0);
  });

  it("a device at work is not woken", () => {
    const world = worldWith(1);
    for (const state of [deviceState.acting, deviceState.busy]) {
      world.fleet.states[0] = state;
      world.places[0] = 9;
      if (!world.lane.isReady(0)) becomeReady(world, 0, 0);
      wake(world, 0);
      expect(world.attempts.size).toBe(0);
    }
  });
});
