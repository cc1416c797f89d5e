import { describe, expect, it } from "vitest";
import { ring } from "../policies/ring.ts";
import { drawTrace } from "../scenarios/trace.ts";
import { mix } from "../structures/random.ts";
import { wait } from "./claiming.ts";
import { handOver, lookAround, recalled } from "./handing-over.ts";
import { deviceState } from "./states.ts";
import { arrive, becomeReady } from "./submitting.ts";
import { createWorld, eventKind, type World } from "./world.ts";

const trace = drawTrace("light", { devices: 40, jobs: 100, seed: 5, load: 0.3 });

/** These devices wait, and time has passed since. */
function worldWith(waiting: number, { affinity = false, slots = 16 } = {}): World {
  const world = createWorld(ring(affinity), trace);
  world.lane.slots = slots;
  for (let device = 0; device < waiting; device += 1) wait(world, device);
  world.now = 1_000;
  return world;
}

/** They wait, each at this distance before a prefix's own point. */
function worldBefore(job: number, distances: readonly number[], slots: number): World {
  const world = worldWith(0, { affinity: true, slots });
  const { cells } = world.lane;
  const point = mix(trace.prefixes[job] ?? 0) % cells;
  world.now = 0;
  for (const [device, distance] of distances.entries()) {
    world.fleet.stands.add(device, (point - distance + cells) % cells);
    wait(world, device);
  }
  world.now = 1_000;
  world.places[job] = point - (point % (cells / slots));
  return world;
}

function next(world: World): { kind: number; a: number; b: number } {
  const event = { at: 0, kind: 0, a: 0, b: 0 };
  while (world.events.pop(event))
    if (event.kind === eventKind.handed || event.kind === eventKind.recall) return event;
  throw new Error("nothing follows");
}

/** Searches and commits with nothing in between. */
const give = (world: World, job: number) => handOver(world, job, lookAround(world, job));

describe("a submission that hands over", () => {
  it("gives its job to one that waits, and that one to nobody else", () => {
    const world = worldWith(2);
    expect(give(world, 0)).toBe("given");
    const { kind, a: device, b: job } = next(world);
    expect({ kind, job }).toEqual({ kind: eventKind.handed, job: 0 });
    expect(world.fleet.stateOf(device)).toBe(deviceState.acting);
    world.now = 1_100;
    expect(give(world, 1)).toBe("given");
    expect(next(world).a).toBe(1 - device);
    world.now = 1_200;
    expect(give(world, 2)).toBe("nobody");
  });

  it("loses to another that gave the device something, or to what that one did, since it looked", () => {
    const world = worldWith(1);
    const offer = lookAround(world, 0);
    world.now = 1_010;
    world.touchedAt[0] = 1_005;
    expect(handOver(world, 0, offer)).toBe("lost");
    expect(give(world, 0)).toBe("given");
  });

  it("loses to who comes into what it read, or goes", () => {
    const world = worldWith(2);
    const offer = lookAround(world, 0);
    world.now = 1_005;
    wait(world, 2);
    world.now = 1_010;
    expect(handOver(world, 0, offer)).toBe("lost");
    const another = lookAround(world, 0);
    world.now = 1_015;
    world.fleet.stands.remove(2);
    expect(handOver(world, 0, another)).toBe("lost");
    expect(give(world, 0)).toBe("given");
  });

  it("takes back what it gave to a dead device, who is out of the ring then", () => {
    const world = worldWith(1);
    world.fleet.states[0] = deviceState.dead;
    expect(give(world, 7)).toBe("given");
    expect(give(world, 8)).toBe("nobody");
    const { kind, a, b } = next(world);
    expect({ kind, a, b }).toEqual({ kind: eventKind.recall, a: 0, b: 7 });
    recalled(world, 0);
    becomeReady(world, 7, 0);
    expect(world.fleet.stands.count).toBe(0);
    expect(world.lane.isReady(7)).toBe(true);
  });

  it("hands over the first four jobs of a call", () => {
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

describe("those that wait are looked for", () => {
  const eighth = 65_536 / 8;

  it("within an eighth of the ring in a large lane, by one stage beyond the submission's", () => {
    // The slot of a lane of 16,384 is at most four points before the prefix's own.
    const near = lookAround(worldBefore(0, [eighth - 8], 16_384), 0);
    expect(near).toMatchObject({ device: 0, stages: 1 });
    expect(lookAround(worldBefore(0, [eighth + 8], 16_384), 0)).toMatchObject({ device: -1, stages: 1 });
  });

  it("all around in a small lane, by one stage more", () => {
    expect(lookAround(worldBefore(0, [eighth + 8], 16), 0)).toMatchObject({ device: 0, stages: 2 });
    expect(lookAround(worldBefore(0, [5 * eighth], 16), 0)).toMatchObject({ device: 0, stages: 2 });
  });

  it("from the slot on by one stage more where a prefix is spread beyond them", () => {
    const world = worldBefore(0, [8, 4 * eighth], 16_384);
    const at = world.places[0] ?? 0;
    world.places[0] = (at + 5 * eighth) % world.lane.cells;
    expect(lookAround(world, 0)).toMatchObject({ device: 1, stages: 2 });
  });

  it("three of them at most, a stage each, and no more of the ring is read than shows them", () => {
    const world = worldBefore(0, [8, 16, 24, 32, 40], 16_384);
    for (const device of [0, 1, 2]) world.holdsHanded.add(device);
    const offer = lookAround(world, 0);
    expect(offer).toMatchObject({ device: -1, asked: [0, 1, 2], stages: 3 });
    const point = mix(trace.prefixes[0] ?? 0) % world.lane.cells;
    expect(offer.read).toEqual([{ from: (point - 32 + 65_536) % 65_536, to: (point + 1) % 65_536 }]);
  });
});
