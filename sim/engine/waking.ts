import {
  BACKUP_MS,
  LOOK_AGAIN_MS,
  PUSH_PER_SUBSCRIBER_MS,
  READ_MS,
  SHOWN,
  SPREAD_ABOVE,
  SPREAD_PER_SUBSCRIBER_MS,
  STAGES,
} from "../figures.ts";
import { exponential } from "../structures/random.ts";
import { claimById, claimFirst } from "./claiming.ts";
import { DEAD, WAITING } from "./states.ts";
import { HERD, LATE, LOOK_AGAIN, THEFT, WAKE, type World } from "./world.ts";

/** A subscribed query runs again, and its result is on its way. */
export const NOTICED_MS = STAGES.candidates * READ_MS + PUSH_PER_SUBSCRIBER_MS;

/** A job has become ready: those whose subscription it meets are told. */
export function tellOfReady(world: World, job: number): void {
  const { policy, lane, fleet, events, now } = world;
  if (!world.looking && policy.looksAgain !== "never") {
    world.looking = true;
    scheduleLookAgain(world);
  }
  if (policy.wakes === "everybody") {
    if (lane.ready === 1) stampede(world);
    return;
  }
  const cell = lane.cellOf(job);
  if (policy.wakes === "watchers") {
    let turn = 0;
    for (let watcher = fleet.stands.front(cell); watcher >= 0; watcher = fleet.stands.behind(watcher)) {
      turn += 1;
      const each = turn > SPREAD_ABOVE ? SPREAD_PER_SUBSCRIBER_MS : PUSH_PER_SUBSCRIBER_MS;
      events.push(now + NOTICED_MS + turn * each, WAKE, watcher);
    }
    return;
  }
  const cover = coverOf(world, cell);
  if (cover < 0) return;
  events.push(now + NOTICED_MS, WAKE, cover);
  events.push(now + NOTICED_MS + BACKUP_MS, LATE, job);
}

/** A device that waits sees its subscription's result. */
export function wake(world: World, device: number): void {
  const { policy, lane, fleet, measures, now } = world;
  if (fleet.stateOf(device) !== WAITING || lane.ready === 0) return;
  if (measures.counts(now)) measures.wakes += 1;
  if (policy.claimsFirst) {
    claimFirst(world, device);
    return;
  }
  const cell = fleet.stands.cellOf(device);
  const slot = lane.cells / lane.slots;
  const job =
    policy.wakes === "cover" ? shownTo(world, device) : lane.firstIn(cell, (cell + slot) % lane.cells);
  if (job >= 0) claimById(world, device, job, false);
}

/** Sees what is there already once its subscription has its first result; asks elsewhere, if that is the policy. */
export function beginToWait(world: World, device: number): void {
  if (world.lane.ready === 0) return;
  world.events.push(world.now + NOTICED_MS, WAKE, device);
  if (world.policy.theft !== null) {
    world.events.push(world.now + 2 * NOTICED_MS, THEFT, device);
  }
}

/** A stand was given up: who stands before it on the ring covers its arc now. */
export function coverPassesOn(world: World, cell: number): void {
  if (world.policy.wakes !== "cover" || world.lane.ready === 0) return;
  const heir = coverOf(world, cell);
  if (heir >= 0) world.events.push(world.now + NOTICED_MS, WAKE, heir);
}

/** The job has been there for a while: its cover may be dead, so the one before that acts. */
export function actLate(world: World, job: number): void {
  const { lane, fleet, events, now } = world;
  if (!lane.isReady(job) || fleet.stands.count < 2) return;
  const cover = coverOf(world, lane.cellOf(job));
  const backup = standBefore(world, cover);
  if (fleet.stateOf(backup) === WAITING) {
    if (fleet.stateOf(cover) === DEAD) {
      const cell = fleet.stands.cellOf(cover);
      fleet.stands.remove(cover);
      coverPassesOn(world, cell);
    }
    claimById(world, backup, job, false);
  }
  events.push(now + BACKUP_MS, LATE, job);
}

export function steal(world: World, device: number): void {
  const { policy, lane, fleet, random } = world;
  if (fleet.stateOf(device) !== WAITING) return;
  const job = policy.theft?.(lane, random) ?? -1;
  if (job >= 0) claimById(world, device, job, true);
}

/** One of the herd has its turn. */
export function nextOfHerd(world: World): void {
  const { lane, fleet, random, events, now } = world;
  if (lane.ready === 0 || fleet.waiting.size === 0) world.herd = 0;
  if (world.herd === 0) return;
  world.herd -= 1;
  wake(world, fleet.waiting.draw(random));
  if (world.herd > 0) events.push(now + turnOfHerd(world), HERD);
}

/** One of all devices looks again; it counts if it waits. The looks of all are one stream, which is the same. */
export function lookAgain(world: World): void {
  const { policy, lane, fleet, random } = world;
  world.looking = lane.ready > 0;
  if (!world.looking) return;
  scheduleLookAgain(world);
  const device = random.below(fleet.devices);
  if (fleet.stateOf(device) !== WAITING) return;
  if (policy.looksAgain === "steals") {
    steal(world, device);
    return;
  }
  const cell = policy.watch(fleet.view(device), lane, random);
  fleet.stands.remove(device);
  fleet.stands.add(device, cell);
  wake(world, device);
}

function scheduleLookAgain({ events, now, fleet, random }: World): void {
  events.push(now + exponential(random, LOOK_AGAIN_MS / fleet.devices), LOOK_AGAIN);
}

function stampede(world: World): void {
  const running = world.herd > 0;
  world.herd = world.fleet.waiting.size;
  if (!running && world.herd > 0) world.events.push(world.now + NOTICED_MS, HERD);
}

function turnOfHerd({ fleet, random }: World): number {
  return fleet.waiting.size > SPREAD_ABOVE
    ? exponential(random, SPREAD_PER_SUBSCRIBER_MS)
    : PUSH_PER_SUBSCRIBER_MS;
}

/** The stand whose arc a cell lies in: the last at or before it. -1 without stands. */
export function coverOf({ fleet }: World, cell: number): number {
  const at = fleet.stands.cellUpTo(cell);
  return at < 0 ? -1 : fleet.stands.back(at);
}

export function standBefore(world: World, device: number): number {
  const { stands } = world.fleet;
  const here = stands.before(device);
  return here >= 0 ? here : coverOf(world, stands.cellOf(device) - 1);
}

function shownTo({ fleet: { stands }, lane, random }: World, device: number): number {
  if (stands.behind(device) >= 0) return -1;
  const cell = stands.cellOf(device);
  const end = stands.cellFrom(cell + 1);
  const width = (end - cell + lane.cells) % lane.cells || lane.cells;
  // Cut by chance, and one of those that are shown: whose home it is takes the first.
  const cut = (cell + random.below(width)) % lane.cells;
  const behindCut = lane.firstIn(cut, end);
  let job = behindCut >= 0 ? behindCut : cut === cell ? -1 : lane.firstIn(cell, cut);
  for (let steps = random.below(SHOWN); steps > 0 && job >= 0; steps -= 1) {
    const behind = lane.behind(job);
    if (behind < 0) break;
    job = behind;
  }
  return job;
}
