import { pushPerSubscriberMs, reserveMs, shownJobs, spreadAbove, spreadPerSubscriberMs } from "../figures.ts";
import { exponential } from "../structures/random.ts";
import { claimById, claimFirst } from "./claim.ts";
import { passArcOn, schedulePoll, waiterAt, waiterBefore } from "./notify.ts";
import { deviceState } from "./states.ts";
import { eventKind, type World } from "./world.ts";

/** A waiting device sees its subscription's result. */
export function wake(world: World, device: number): void {
  const { policy, lane, fleet, measures, now } = world;
  if (fleet.stateOf(device) !== deviceState.waiting || lane.ready === 0) return;
  if (measures.counts(now)) measures.wakes += 1;
  if (policy.claimsFirst) {
    claimFirst(world, device);
    return;
  }
  const cell = fleet.waiterRing.cellOf(device);
  const slot = lane.cells / lane.slots;
  const job =
    policy.wakes === "waiter" ? shownTo(world, device) : lane.firstIn(cell, (cell + slot) % lane.cells);
  if (job >= 0) claimById(world, device, job, false);
}

/** The job has waited for a while. Its waiter may be dead, so the previous one claims it. */
export function claimLate(world: World, job: number): void {
  const { lane, fleet, events, now } = world;
  if (!lane.isReady(job) || fleet.waiterRing.count < 2) return;
  const waiter = waiterAt(world, lane.cellOf(job));
  const reserve = waiterBefore(world, waiter);
  if (fleet.stateOf(reserve) === deviceState.waiting) {
    if (fleet.stateOf(waiter) === deviceState.dead) {
      const cell = fleet.waiterRing.cellOf(waiter);
      fleet.waiterRing.remove(waiter);
      passArcOn(world, cell);
    }
    claimById(world, reserve, job, false);
  }
  events.push(now + reserveMs, eventKind.late, job);
}

/** A waiting device claims a job that a separate query found elsewhere. */
export function steal(world: World, device: number): void {
  const { policy, lane, fleet, random } = world;
  if (fleet.stateOf(device) !== deviceState.waiting) return;
  const job = policy.steal?.(lane, random) ?? -1;
  if (job >= 0) claimById(world, device, job, true);
}

/** Wakes the next device of the herd. */
export function nextOfHerd(world: World): void {
  const { lane, fleet, random, events, now } = world;
  if (lane.ready === 0 || fleet.waiting.size === 0) world.herd = 0;
  if (world.herd === 0) return;
  world.herd -= 1;
  wake(world, fleet.waiting.draw(random));
  if (world.herd > 0) events.push(now + turnOfHerd(world), eventKind.herd);
}

/** A random device polls if it waits. One stream of events represents the polls of all devices. */
export function poll(world: World): void {
  const { policy, lane, fleet, random } = world;
  world.polling = lane.ready > 0;
  if (!world.polling) return;
  schedulePoll(world);
  const device = random.below(fleet.devices);
  if (fleet.stateOf(device) !== deviceState.waiting) return;
  if (policy.polls === "steals") {
    steal(world, device);
    return;
  }
  const cell = policy.watch(fleet.view(device), lane, random);
  fleet.waiterRing.remove(device);
  fleet.waiterRing.add(device, cell);
  wake(world, device);
}

function turnOfHerd({ fleet, random }: World): number {
  return fleet.waiting.size > spreadAbove ? exponential(random, spreadPerSubscriberMs) : pushPerSubscriberMs;
}

function shownTo({ fleet: { waiterRing }, lane, random }: World, device: number): number {
  if (waiterRing.behind(device) >= 0) return -1;
  const cell = waiterRing.cellOf(device);
  const end = waiterRing.cellFrom(cell + 1);
  const width = (end - cell + lane.cells) % lane.cells || lane.cells;
  // Starts at a random cell and takes one of the shown jobs, because the home device takes the first.
  const cut = (cell + random.below(width)) % lane.cells;
  const afterCut = lane.firstIn(cut, end);
  let job = afterCut >= 0 ? afterCut : cut === cell ? -1 : lane.firstIn(cell, cut);
  for (let steps = random.below(shownJobs); steps > 0 && job >= 0; steps -= 1) {
    const behind = lane.behind(job);
    if (behind < 0) break;
    job = behind;
  }
  return job;
}
