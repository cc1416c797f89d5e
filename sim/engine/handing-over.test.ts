import { describe, expect, it } from "vitest";
import { ring } from "../policies/ring.ts";
import { drawTrace } from "../scenarios/trace.ts";
import { wait } from "./claiming.ts";
import { handOver, recalled } from "./handing-over.ts";
import { ACTING, DEAD } from "./states.ts";
import { becomeReady } from "./submitting.ts";
import { createWorld, HANDED, RECALL, type World } from "./world.ts";

const trace = drawTrace("light", { devices: 40, jobs: 100, seed: 5, load: 0.3 });

/** These wait, and time has passed since. */
function worldWith(waiting: number): World {
  const world = createWorld(ring(false), trace);
  world.lane.slots = 16;
  for (let device = 0; device < waiting; device += 1) wait(world, device);
  world.now = 1_000;
  return world;
}

function next(world: World): { kind: number; a: number; b: number } {
  const event = { at: 0, kind: 0, a: 0, b: 0 };
  while (world.events.pop(event)) if (event.kind === HANDED || event.kind === RECALL) return event;
  throw new Error("nothing follows");
}

describe("a submission that hands over", () => {
  it("gives its job to one that waits, and that one to nobody else", () => {
    const world = worldWith(2);
    expect(handOver(world, 0, 990)).toBe("given");
    const { kind, a: device, b: job } = next(world);
    expect({ kind, job }).toEqual({ kind: HANDED, job: 0 });
    expect(world.fleet.stateOf(device)).toBe(ACTING);
    world.now = 1_100;
    expect(handOver(world, 1, 1_090)).toBe("given");
    expect(next(world).a).toBe(1 - device);
    expect(handOver(world, 2, 1_095)).toBe("nobody");
  });

  it("loses to another that gave the device something, or to what that one did, since it looked", () => {
    const world = worldWith(1);
    world.touchedAt[0] = 995;
    expect(handOver(world, 0, 990)).toBe("lost");
    expect(handOver(world, 0, 996)).toBe("given");
  });

  it("takes back what it gave to a dead device, who is out of the ring then", () => {
    const world = worldWith(1);
    world.fleet.states[0] = DEAD;
    expect(handOver(world, 7, 990)).toBe("given");
    const { kind, a, b } = next(world);
    expect({ kind, a, b }).toEqual({ kind: RECALL, a: 0, b: 7 });
    recalled(world, 0);
    becomeReady(world, 7, 0);
    expect(world.fleet.stands.count).toBe(0);
    expect(world.lane.isReady(7)).toBe(true);
  });
});
