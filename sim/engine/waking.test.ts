import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ring } from "../policies/ring.ts";
import { drawTrace } from "../scenarios/trace.ts";
import { wait } from "./claiming.ts";
import { deviceState } from "./states.ts";
import { becomeReady } from "./submitting.ts";
import { actLate, wake } from "./waking.ts";
import { createWorld, eventKind, type World } from "./world.ts";

const cellsOnRing = 65_536;
const trace = drawTrace("light", { devices: 40, jobs: 100, seed: 5, load: 0.3 });

/** First nobody waits, then these devices wait. */
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
  it("has one waiting device cover the whole ring", () => {
    fc.assert(
      fc.property(fc.nat(cellsOnRing - 1), (cell) => {
        const world = worldWith(1);
        world.places[0] = cell;
        becomeReady(world, 0, 0);
        expect(woken(world)).toEqual([0]);
        wake(world, 0);
        expect(world.attempts.get(0)?.look.job).toBe(0);
      }),
    );
  });

  it("wakes exactly the device that stands last before the job, wherever it is put", () => {
    fc.assert(
      fc.property(fc.nat(cellsOnRing - 1), fc.integer({ min: 2, max: 40 }), (cell, waiting) => {
        const world = worldWith(waiting);
        world.places[0] = cell;
        becomeReady(world, 0, 0);
        const distances = Array.from(
          { length: waiting },
          (_, device) => (cell - world.fleet.positionOf(device) + cellsOnRing) % cellsOnRing,
        );
        const [cover] = woken(world);
        expect(distances[cover ?? -1]).toBe(Math.min(...distances));
        // No other device would find it after a wake.
        for (let device = 0; device < waiting; device += 1) wake(world, device);
        expect([...world.attempts.keys()]).toEqual([cover]);
      }),
    );
  });

  it("has the one before act late where the cover is dead, and takes the dead one's stand away", () => {
    const world = worldWith(3);
    world.places[0] = 123;
    becomeReady(world, 0, 0);
    const [cover] = woken(world);
    world.fleet.states[cover!] = deviceState.dead;
    world.fleet.waiting.remove(cover!);
    wake(world, cover!);
    expect(world.attempts.size).toBe(0);
    actLate(world, 0);
    expect(world.attempts.size).toBe(1);
    expect([...world.attempts.keys()]).not.toContain(cover);
    expect(world.fleet.stands.cellOf(cover!)).toBe(-1);
  });

  it("does not act late on a job that is gone", () => {
    const world = worldWith(3);
    world.places[0] = 123;
    becomeReady(world, 0, 0);
    world.lane.take(0, 1);
    actLate(world, 0);
    expect(world.attempts.size).toBe(0);
  });

  it("wakes nobody who is at work", () => {
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
