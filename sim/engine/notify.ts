import {
  pollMs,
  pushPerSubscriberMs,
  readMs,
  readStages,
  reserveMs,
  spreadAbove,
  spreadPerSubscriberMs,
} from "../figures.ts";
import { exponential } from "../structures/random.ts";
import { eventKind, type World } from "./world.ts";

/** The time to run a subscribed query again and send its result. */
export const noticedMs = readStages.candidates * readMs + pushPerSubscriberMs;

/** Notifies the subscriptions that a new ready job matches. */
export function notifyReady(world: World, job: number): void {
  const { policy, lane, fleet, events, now } = world;
  if (!world.polling && policy.polls !== "never") {
    world.polling = true;
    schedulePoll(world);
  }
  if (policy.wakes === "everybody") {
    if (lane.ready === 1) wakeHerd(world);
    return;
  }
  const cell = lane.cellOf(job);
  if (policy.wakes === "watchers") {
    let turn = 0;
    for (
      let watcher = fleet.waiterRing.front(cell);
      watcher >= 0;
      watcher = fleet.waiterRing.behind(watcher)
    ) {
      turn += 1;
      const each = turn > spreadAbove ? spreadPerSubscriberMs : pushPerSubscriberMs;
      events.push(now + noticedMs + turn * each, eventKind.wake, watcher);
    }
    return;
  }
  const waiter = waiterAt(world, cell);
  if (waiter < 0) return;
  events.push(now + noticedMs, eventKind.wake, waiter);
  events.push(now + noticedMs + reserveMs, eventKind.late, job);
}

/** The subscription's first result shows existing jobs. If the policy steals, the device also asks elsewhere. */
export function startWaiting(world: World, device: number): void {
  if (world.lane.ready === 0) return;
  world.events.push(world.now + noticedMs, eventKind.wake, device);
  if (world.policy.steal !== null) {
    world.events.push(world.now + 2 * noticedMs, eventKind.steal, device);
  }
}

/** A waiting device left its cell. The previous one on the ring covers its arc now. */
export function passArcOn(world: World, cell: number): void {
  if (world.policy.wakes !== "waiter" || world.lane.ready === 0) return;
  const previous = waiterAt(world, cell);
  if (previous >= 0) world.events.push(world.now + noticedMs, eventKind.wake, previous);
}

/** Schedules the next poll of a random device. */
export function schedulePoll({ events, now, fleet, random }: World): void {
  events.push(now + exponential(random, pollMs / fleet.devices), eventKind.poll);
}

function wakeHerd(world: World): void {
  const running = world.herd > 0;
  world.herd = world.fleet.waiting.size;
  if (!running && world.herd > 0) world.events.push(world.now + noticedMs, eventKind.herd);
}

/** The waiting device whose arc contains a cell: the last at or before it. -1 without one. */
export function waiterAt({ fleet }: World, cell: number): number {
  const at = fleet.waiterRing.cellUpTo(cell);
  return at < 0 ? -1 : fleet.waiterRing.back(at);
}

/** The waiting device before this one on the ring. */
export function waiterBefore(world: World, device: number): number {
  const { waiterRing } = world.fleet;
  const here = waiterRing.before(device);
  return here >= 0 ? here : waiterAt(world, waiterRing.cellOf(device) - 1);
}
