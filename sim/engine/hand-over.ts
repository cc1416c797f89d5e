import { minSlots } from "../../packages/queue/component/model/placement.ts";
import { readStages, reclaimMs } from "../figures.ts";
import { mix } from "../structures/random.ts";
import { startJob } from "./claim.ts";
import { noticedMs, passArcOn, waiterAt, waiterBefore } from "./notify.ts";
import { deviceState } from "./states.ts";
import { eventKind, type Offer, type Span, type World } from "./world.ts";

/**
 * The first three waiters are checked, and a fourth is read together with the lane, as in
 * packages/queue/component/model/dispatch/handOver.ts.
 */
const mostAsked = 3;
const mostNear = mostAsked + 1;
/** The share of the ring that is searched for waiting devices. */
const nearShare = 1 / 8;

/** Finds the waiting devices near a job's place and chooses one without a job. */
export function findNearby(world: World, job: number): Offer {
  const { policy, lane, fleet, random, trace, now } = world;
  const near = Math.floor(lane.cells * nearShare);
  const point = policy.spreads ? mix(trace.prefixes[job] ?? 0) % lane.cells : random.below(lane.cells);
  const first = waitersAt(world, point, near, mostNear);
  const read = [first.span];
  // A job without a prefix is offered at the random point. Its own place does not matter.
  const at = policy.spreads ? (world.places[job] ?? 0) : point;
  const back = (cell: number): number => (point - cell + lane.cells) % lane.cells;
  let found: readonly number[] = first.devices
    .filter((device) => back(fleet.waiterRing.cellOf(device)) >= back(at))
    .slice(0, mostAsked);
  const isSmall = lane.slots <= minSlots;
  const further = back(at) >= near || (found.length === 0 && isSmall);
  if (further) {
    const second = waitersAt(world, at, isSmall ? lane.cells - 1 : near, mostAsked);
    read.push(second.span);
    found = second.devices;
  }
  const asked: number[] = [];
  let device = -1;
  for (const each of policy.spreads ? found : shuffled(world, found)) {
    asked.push(each);
    if (!isFree(world, each)) continue;
    device = each;
    break;
  }
  // The job's own row is read together with the first device's jobs.
  const stages = Math.max(1, asked.length) * readStages.ask + (further ? readStages.searchFurther : 0);
  return { device, asked, read, stages, snapshot: now };
}

/** Commits a submission: assigns the job to the chosen device if nothing has changed. */
export function handOver(world: World, job: number, offer: Offer): "assigned" | "conflict" | "no waiter" {
  const { fleet, measures, events, now } = world;
  const { device, asked, read, snapshot } = offer;
  const changed =
    asked.some((each) => (world.touchedAt[each] ?? 0) > snapshot) ||
    read.some(({ from, to }) => fleet.waiterRing.changedSince(from, to, snapshot));
  if (changed) return "conflict";
  if (device < 0) return "no waiter";
  // The device has started another claim. Both read the device's jobs, so one of them loses.
  if (!isFree(world, device)) return "conflict";
  world.touchedAt[device] = now;
  world.readySince[job] = now;
  world.handedTo.add(device);
  if (fleet.stateOf(device) === deviceState.dead) {
    events.push(now + reclaimMs, eventKind.reclaim, device, job);
    return "assigned";
  }
  measures.change(now, 0, 1);
  fleet.states[device] = deviceState.acting;
  fleet.waiting.remove(device);
  events.push(now + noticedMs, eventKind.handed, device, job);
  return "assigned";
}

/** The device sees its handed job and starts it. */
export function startHanded(world: World, device: number, job: number): void {
  world.handedTo.delete(device);
  world.fleet.woken[device] = 1;
  startJob(world, device, job, false);
}

/** The device did not start its handed job, so it leaves the ring. */
export function reclaimUnstarted(world: World, device: number): void {
  const { fleet } = world;
  world.handedTo.delete(device);
  const cell = fleet.waiterRing.cellOf(device);
  if (cell < 0 || fleet.stateOf(device) !== deviceState.dead) return;
  fleet.waiterRing.remove(device);
  passArcOn(world, cell);
}

/** The last waiting devices at or before a cell, within a reach, and the part of the ring that was read. */
function waitersAt(
  world: World,
  cell: number,
  reach: number,
  most: number,
): { readonly devices: readonly number[]; readonly span: Span } {
  const { waiterRing } = world.fleet;
  const { cells } = world.lane;
  const back = (device: number): number => (cell - waiterRing.cellOf(device) + cells) % cells;
  const devices: number[] = [];
  for (
    let device = waiterAt(world, cell);
    device >= 0 && devices.length < most && back(device) <= reach && device !== devices[0];
    device = waiterBefore(world, device)
  ) {
    devices.push(device);
  }
  const last = devices[most - 1];
  const from = (cell - (last === undefined ? reach : back(last)) + cells) % cells;
  return { devices, span: { from, to: (cell + 1) % cells } };
}

function isFree({ fleet, handedTo }: World, device: number): boolean {
  const state = fleet.stateOf(device);
  return (state === deviceState.waiting || state === deviceState.dead) && !handedTo.has(device);
}

/** In random order. Otherwise a device with a large gap before it would get most jobs. */
function shuffled({ random }: World, few: readonly number[]): readonly number[] {
  return few
    .map((each) => ({ each, draw: random.next() }))
    .sort((a, b) => a.draw - b.draw)
    .map(({ each }) => each);
}
