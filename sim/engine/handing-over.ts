import { RECALL_MS } from "../figures.ts";
import { begins } from "./claiming.ts";
import { ACTING, DEAD, WAITING } from "./states.ts";
import { coverOf, coverPassesOn, NOTICED_MS, standBefore } from "./waking.ts";
import { HANDED, RECALL, type World } from "./world.ts";

/** So many of those that stand near are asked: convex/queue/model/jobs/handOver.ts. */
const MOST_ASKED = 3;
/** A ring of no more slots is looked at all around; of a larger one four slots. */
const SMALL = 16;

/**
 * The transaction that submits a job gives it to a device that waits, as far as it knows.
 * @param since its snapshot: the device must not have been given or done anything since.
 */
export function handOver(world: World, job: number, since: number): "given" | "lost" | "nobody" {
  const { policy, lane, fleet, random, measures, events, now } = world;
  const cell = policy.spreads ? (world.places[job] ?? 0) : random.below(lane.cells);
  const device = firstFree(world, cell);
  if (device < 0) return "nobody";
  if ((world.touchedAt[device] ?? 0) > since) return "lost";
  world.touchedAt[device] = now;
  world.readySince[job] = now;
  if (fleet.stateOf(device) === DEAD) {
    events.push(now + RECALL_MS, RECALL, device, job);
    return "given";
  }
  measures.change(now, 0, 1);
  fleet.states[device] = ACTING;
  fleet.waiting.remove(device);
  events.push(now + NOTICED_MS, HANDED, device, job);
  return "given";
}

/** The device sees what it was handed, and begins. */
export function beginHanded(world: World, device: number, job: number): void {
  world.fleet.woken[device] = 1;
  begins(world, device, job, false);
}

/** It did not begin: it is out of the ring. */
export function recalled(world: World, device: number): void {
  const { fleet } = world;
  const stood = fleet.stands.cellOf(device);
  if (stood < 0 || fleet.stateOf(device) !== DEAD) return;
  fleet.stands.remove(device);
  coverPassesOn(world, stood);
}

function firstFree(world: World, cell: number): number {
  const { fleet, lane } = world;
  const reach = lane.slots <= SMALL ? lane.cells : (4 * lane.cells) / lane.slots;
  let device = coverOf(world, cell);
  for (let asked = 0; asked < MOST_ASKED && device >= 0; asked += 1) {
    const distance = (cell - fleet.stands.cellOf(device) + lane.cells) % lane.cells;
    if (distance > reach) return -1;
    const state = fleet.stateOf(device);
    if (state === WAITING || state === DEAD) return device;
    device = standBefore(world, device);
  }
  return -1;
}
