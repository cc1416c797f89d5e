import { minSlots } from "../../packages/queue/component/model/placement.ts";
import { readStages, recallMs } from "../figures.ts";
import { mix } from "../structures/random.ts";
import { coverOf, coverPassesOn, noticedMs, standBefore } from "./announcing.ts";
import { begins } from "./claiming.ts";
import { deviceState } from "./states.ts";
import { eventKind, type Offer, type Span, type World } from "./world.ts";

/**
 * As in packages/queue/component/model/dispatch/handOver.ts: the first three are asked, and a fourth is read
 * together with the lane.
 */
const mostAsked = 3;
const mostNear = mostAsked + 1;
/** The share of the ring that is searched for waiting devices. */
const nearShare = 1 / 8;

/** Finds the waiting devices near a job's place and chooses one without a job. */
export function lookAround(world: World, job: number): Offer {
  const { policy, lane, fleet, random, trace, now } = world;
  const near = Math.floor(lane.cells * nearShare);
  const point = policy.spreads ? mix(trace.prefixes[job] ?? 0) % lane.cells : random.below(lane.cells);
  const first = waitersAt(world, point, near, mostNear);
  const read = [first.span];
  // Jobs without a prefix are offered at the point itself, wherever their place is.
  const at = policy.spreads ? (world.places[job] ?? 0) : point;
  const back = (cell: number): number => (point - cell + lane.cells) % lane.cells;
  let found: readonly number[] = first.devices
    .filter((device) => back(fleet.stands.cellOf(device)) >= back(at))
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
  const stages = Math.max(1, asked.length) * readStages.ask + (further ? readStages.lookFurther : 0);
  return { device, asked, read, stages, snapshot: now };
}

/** Commits a submission: assigns the job to the chosen device if nothing has changed. */
export function handOver(world: World, job: number, offer: Offer): "given" | "lost" | "nobody" {
  const { fleet, measures, events, now } = world;
  const { device, asked, read, snapshot } = offer;
  const changed =
    asked.some((each) => (world.touchedAt[each] ?? 0) > snapshot) ||
    read.some(({ from, to }) => fleet.stands.changedSince(from, to, snapshot));
  if (changed) return "lost";
  if (device < 0) return "nobody";
  // The device has begun another claim, which reads its jobs and loses.
  if (!isFree(world, device)) return "lost";
  world.touchedAt[device] = now;
  world.readySince[job] = now;
  world.holdsHanded.add(device);
  if (fleet.stateOf(device) === deviceState.dead) {
    events.push(now + recallMs, eventKind.recall, device, job);
    return "given";
  }
  measures.change(now, 0, 1);
  fleet.states[device] = deviceState.acting;
  fleet.waiting.remove(device);
  events.push(now + noticedMs, eventKind.handed, device, job);
  return "given";
}

/** The device sees its handed job and begins it. */
export function beginHanded(world: World, device: number, job: number): void {
  world.holdsHanded.delete(device);
  world.fleet.woken[device] = 1;
  begins(world, device, job, false);
}

/** The device did not begin and leaves the ring. */
export function recalled(world: World, device: number): void {
  const { fleet } = world;
  world.holdsHanded.delete(device);
  const stood = fleet.stands.cellOf(device);
  if (stood < 0 || fleet.stateOf(device) !== deviceState.dead) return;
  fleet.stands.remove(device);
  coverPassesOn(world, stood);
}

/** The last waiting devices at or before a cell, within a reach, and the part of the ring that was read. */
function waitersAt(
  world: World,
  cell: number,
  reach: number,
  most: number,
): { readonly devices: readonly number[]; readonly span: Span } {
  const { stands } = world.fleet;
  const { cells } = world.lane;
  const back = (device: number): number => (cell - stands.cellOf(device) + cells) % cells;
  const devices: number[] = [];
  for (
    let device = coverOf(world, cell);
    device >= 0 && devices.length < most && back(device) <= reach && device !== devices[0];
    device = standBefore(world, device)
  ) {
    devices.push(device);
  }
  const last = devices[most - 1];
  const from = (cell - (last === undefined ? reach : back(last)) + cells) % cells;
  return { devices, span: { from, to: (cell + 1) % cells } };
}

function isFree({ fleet, holdsHanded }: World, device: number): boolean {
  const state = fleet.stateOf(device);
  return (state === deviceState.waiting || state === deviceState.dead) && !holdsHanded.has(device);
}

/** Without shuffling, many submissions would meet the devices that follow a large gap. */
function shuffled({ random }: World, few: readonly number[]): readonly number[] {
  return few
    .map((each) => ({ each, draw: random.next() }))
    .sort((a, b) => a.draw - b.draw)
    .map(({ each }) => each);
}
