import { backupMs, pushPerSubscriberMs, shownJobs, spreadAbove, spreadPerSubscriberMs } from "../figures.ts";
import { exponential } from "../structures/random.ts";
import { coverOf, coverPassesOn, scheduleLookAgain, standBefore } from "./announcing.ts";
import { claimById, claimFirst } from "./claiming.ts";
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
  const cell = fleet.stands.cellOf(device);
  const slot = lane.cells / lane.slots;
  const job =
    policy.wakes === "cover" ? shownTo(world, device) : lane.firstIn(cell, (cell + slot) % lane.cells);
  if (job >= 0) claimById(world, device, job, false);
}

/** The job has waited for a while. The device that covers it may be dead, so the previous one acts. */
export function actLate(world: World, job: number): void {
  const { lane, fleet, events, now } = world;
  if (!lane.isReady(job) || fleet.stands.count < 2) return;
  const cover = coverOf(world, lane.cellOf(job));
  const backup = standBefore(world, cover);
  if (fleet.stateOf(backup) === deviceState.waiting) {
    if (fleet.stateOf(cover) === deviceState.dead) {
      const cell = fleet.stands.cellOf(cover);
      fleet.stands.remove(cover);
      coverPassesOn(world, cell);
    }
    claimById(world, backup, job, false);
  }
  events.push(now + backupMs, eventKind.late, job);
}

export function steal(world: World, device: number): void {
  const { policy, lane, fleet, random } = world;
  if (fleet.stateOf(device) !== deviceState.waiting) return;
  const job = policy.theft?.(lane, random) ?? -1;
  if (job >= 0) claimById(world, device, job, true);
}

/** The next device of the herd has its turn. */
export function nextOfHerd(world: World): void {
  const { lane, fleet, random, events, now } = world;
  if (lane.ready === 0 || fleet.waiting.size === 0) world.herd = 0;
  if (world.herd === 0) return;
  world.herd -= 1;
  wake(world, fleet.waiting.draw(random));
  if (world.herd > 0) events.push(now + turnOfHerd(world), eventKind.herd);
}

/** A random device looks again, if it waits. One stream of events stands for the looks of all devices. */
export function lookAgain(world: World): void {
  const { policy, lane, fleet, random } = world;
  world.looking = lane.ready > 0;
  if (!world.looking) return;
  scheduleLookAgain(world);
  const device = random.below(fleet.devices);
  if (fleet.stateOf(device) !== deviceState.waiting) return;
  if (policy.looksAgain === "steals") {
    steal(world, device);
    return;
  }
  const cell = policy.watch(fleet.view(device), lane, random);
  fleet.stands.remove(device);
  fleet.stands.add(device, cell);
  wake(world, device);
}

function turnOfHerd({ fleet, random }: World): number {
  return fleet.waiting.size > spreadAbove ? exponential(random, spreadPerSubscriberMs) : pushPerSubscriberMs;
}

function shownTo({ fleet: { stands }, lane, random }: World, device: number): number {
  if (stands.behind(device) >= 0) return -1;
  const cell = stands.cellOf(device);
  const end = stands.cellFrom(cell + 1);
  const width = (end - cell + lane.cells) % lane.cells || lane.cells;
  // Starts at a random place and takes one of the shown jobs. The home device takes the first.
  const cut = (cell + random.below(width)) % lane.cells;
  const behindCut = lane.firstIn(cut, end);
  let job = behindCut >= 0 ? behindCut : cut === cell ? -1 : lane.firstIn(cell, cut);
  for (let steps = random.below(shownJobs); steps > 0 && job >= 0; steps -= 1) {
    const behind = lane.behind(job);
    if (behind < 0) break;
    job = behind;
  }
  return job;
}
