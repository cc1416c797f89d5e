import {
  backupMs,
  lookAgainMs,
  pushPerSubscriberMs,
  readMs,
  readStages,
  spreadAbove,
  spreadPerSubscriberMs,
} from "../figures.ts";
import { exponential } from "../structures/random.ts";
import { eventKind, type World } from "./world.ts";

/** The time to run a subscribed query again and send its result. */
export const noticedMs = readStages.candidates * readMs + pushPerSubscriberMs;

/** Notifies the subscriptions that a new ready job matches. */
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
      const each = turn > spreadAbove ? spreadPerSubscriberMs : pushPerSubscriberMs;
      events.push(now + noticedMs + turn * each, eventKind.wake, watcher);
    }
    return;
  }
  const cover = coverOf(world, cell);
  if (cover < 0) return;
  events.push(now + noticedMs, eventKind.wake, cover);
  events.push(now + noticedMs + backupMs, eventKind.late, job);
}

/** Sees existing jobs with its subscription's first result. Asks elsewhere if the policy says so. */
export function beginToWait(world: World, device: number): void {
  if (world.lane.ready === 0) return;
  world.events.push(world.now + noticedMs, eventKind.wake, device);
  if (world.policy.theft !== null) {
    world.events.push(world.now + 2 * noticedMs, eventKind.theft, device);
  }
}

/** A waiting device left: the previous one on the ring covers its arc now. */
export function coverPassesOn(world: World, cell: number): void {
  if (world.policy.wakes !== "cover" || world.lane.ready === 0) return;
  const heir = coverOf(world, cell);
  if (heir >= 0) world.events.push(world.now + noticedMs, eventKind.wake, heir);
}

/** Schedules the next look of a random device. */
export function scheduleLookAgain({ events, now, fleet, random }: World): void {
  events.push(now + exponential(random, lookAgainMs / fleet.devices), eventKind.lookAgain);
}

function stampede(world: World): void {
  const running = world.herd > 0;
  world.herd = world.fleet.waiting.size;
  if (!running && world.herd > 0) world.events.push(world.now + noticedMs, eventKind.herd);
}

/** The waiting device whose arc contains a cell: the last at or before it. -1 without one. */
export function coverOf({ fleet }: World, cell: number): number {
  const at = fleet.stands.cellUpTo(cell);
  return at < 0 ? -1 : fleet.stands.back(at);
}

export function standBefore(world: World, device: number): number {
  const { stands } = world.fleet;
  const here = stands.before(device);
  return here >= 0 ? here : coverOf(world, stands.cellOf(device) - 1);
}
