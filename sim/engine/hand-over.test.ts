import { describe, expect, it } from "vitest";
import { ring } from "../policies/ring.ts";
import { drawTrace } from "../scenarios/trace.ts";
import { mix } from "../structures/random.ts";
import { wait } from "./claim.ts";
import { findNearby, handOver, reclaimUnstarted } from "./hand-over.ts";
import { deviceState } from "./states.ts";
import { arrive, becomeReady } from "./submit.ts";
import { createWorld, eventKind, type World } from "./world.ts";

const trace = drawTrace("light", { devices: 40, jobs: 100, seed: 5, load: 0.3 });

/** This many devices have waited for a while. */
function worldWith(waiting: number, { affinity = false, slots = 16 } = {}): World {
  const world = createWorld(ring(affinity), trace);
  world.lane.slots = slots;
  for (let device = 0; device < waiting; device += 1) wait(world, device);
  world.now = 1_000;
  return world;
}

/** Devices have waited for a while, at these distances before a prefix's own point. */
function worldBefore(job: number, distances: readonly number[], slots: number): World {
  const world = worldWith(0, { affinity: true, slots });
  const { cells } = world.lane;
  const point = mix(trace.prefixes[job] ?? 0) % cells;
  world.now = 0;
  for (const [device, distance] of distances.entries()) {
    world.fleet.waiterRing.add(device, (point - distance + cells) % cells);
    wait(world, device);
  }
  world.now = 1_000;
  world.places[job] = point - (point % (cells / slots));
  return world;
}

function next(world: World): { kind: number; a: number; b: number } {
  const event = { at: 0, kind: 0, a: 0, b: 0 };
  while (world.events.pop(event))
    if (event.kind === eventKind.handed || event.kind === eventKind.reclaim) return event;
  throw new Error("nothing follows");
}

/** Searches and commits with nothing in between. */
const assign = (world: World, job: number) => handOver(world, job, findNearby(world, job));

describe("handing over", () => {
  it("a submission assigns a job to a waiting device, and no second job to that device", () => {
    const world = worldWith(2);
    expect(assign(world, 0)).toBe("assigned");
    const { kind, a: device, b: job } = next(world);
    expect({ kind, job }).toEqual({ kind: eventKind.handed, job: 0 });
    expect(world.fleet.stateOf(device)).toBe(deviceState.acting);
    world.now = 1_100;
    expect(assign(world, 1)).toBe("assigned");
    expect(next(world).a).toBe(1 - device);
    world.now = 1_200;
    expect(assign(world, 2)).toBe("no waiter");
  });

  it("a hand-over conflicts if the device was assigned a job or did something after the submission read it", () => {
    const world = worldWith(1);
    const offer = findNearby(world, 0);
    world.now = 1_010;
    world.touchedAt[0] = 1_005;
    expect(handOver(world, 0, offer)).toBe("conflict");
    expect(assign(world, 0)).toBe("assigned");
  });

  it("a hand-over conflicts if a device comes or leaves in the part of the ring that was read", () => {
    const world = worldWith(2);
    const offer = findNearby(world, 0);
    world.now = 1_005;
    wait(world, 2);
    world.now = 1_010;
    expect(handOver(world, 0, offer)).toBe("conflict");
    const another = findNearby(world, 0);
    world.now = 1_015;
    world.fleet.waiterRing.remove(2);
    expect(handOver(world, 0, another)).toBe("conflict");
    expect(assign(world, 0)).toBe("assigned");
  });

  it("a job handed to a dead device is reclaimed, and the device leaves the ring", () => {
    const world = worldWith(1);
    world.fleet.states[0] = deviceState.dead;
    expect(assign(world, 7)).toBe("assigned");
    expect(assign(world, 8)).toBe("no waiter");
    const { kind, a, b } = next(world);
    expect({ kind, a, b }).toEqual({ kind: eventKind.reclaim, a: 0, b: 7 });
    reclaimUnstarted(world, 0);
    becomeReady(world, 7, 0);
    expect(world.fleet.waiterRing.count).toBe(0);
    expect(world.lane.isReady(7)).toBe(true);
  });

  it("a submission hands over the first four jobs of a call", () => {
    const batch = drawTrace("batch", { devices: 40, jobs: 100, seed: 5, load: 0.3 });
    const world = createWorld(ring(false), batch);
    world.lane.slots = 16;
    for (let device = 0; device < 10; device += 1) wait(world, device);
    world.now = 1_000;
    arrive(world, 0);
    expect([...world.offers.keys()]).toEqual([0, 1, 2, 3]);
    const event = { at: 0, kind: 0, a: 0, b: 0 };
    let ready = 0;
    while (world.events.pop(event)) if (event.kind === eventKind.ready) ready += 1;
    expect(ready).toBe(100);
  });
});

describe("the search for waiting devices", () => {
  const eighth = 65_536 / 8;

  it("the search for waiting devices covers an eighth of the ring in a large lane, in one stage", () => {
    // The slot of a lane of 16,384 is at most four points before the prefix's own.
    const near = findNearby(worldBefore(0, [eighth - 8], 16_384), 0);
    expect(near).toMatchObject({ device: 0, stages: 1 });
    expect(findNearby(worldBefore(0, [eighth + 8], 16_384), 0)).toMatchObject({ device: -1, stages: 1 });
  });

  it("the search for waiting devices covers the whole ring in a small lane, in two stages", () => {
    expect(findNearby(worldBefore(0, [eighth + 8], 16), 0)).toMatchObject({ device: 0, stages: 2 });
    expect(findNearby(worldBefore(0, [5 * eighth], 16), 0)).toMatchObject({ device: 0, stages: 2 });
  });

  it("the search for waiting devices starts again at the job's slot, in two stages, if the prefix is spread far", () => {
    const world = worldBefore(0, [8, 4 * eighth], 16_384);
    const at = world.places[0] ?? 0;
    world.places[0] = (at + 5 * eighth) % world.lane.cells;
    expect(findNearby(world, 0)).toMatchObject({ device: 1, stages: 2 });
  });

  it("the search for waiting devices checks at most three, one stage each, and reads no further along the ring", () => {
    const world = worldBefore(0, [8, 16, 24, 32, 40], 16_384);
    for (const device of [0, 1, 2]) world.handedTo.add(device);
    const offer = findNearby(world, 0);
    expect(offer).toMatchObject({ device: -1, asked: [0, 1, 2], stages: 3 });
    const point = mix(trace.prefixes[0] ?? 0) % world.lane.cells;
    expect(offer.read).toEqual([{ from: (point - 32 + 65_536) % 65_536, to: (point + 1) % 65_536 }]);
  });
});
