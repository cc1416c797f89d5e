import {
  AVAILABLE_MS,
  IN_USE_MS,
  LEASE_LOST_MS,
  PRESENCE_LOST_MS,
  SILENT_SHARE,
  STAGES,
  transactionMs,
} from "../figures.ts";
import { exponential } from "../structures/random.ts";
import { take } from "./claiming.ts";
import { ACTING, AWAY, BUSY, DEAD, RESTING, WAITING } from "./states.ts";
import { coverPassesOn } from "./waking.ts";
import { LAPSE, LEAVE, READY, RETURN, type World } from "./world.ts";

/*
 * People come and go without memory, so the comings of a million of them are one stream: it names a device at random,
 * and the event counts if the device is in the state that it ends.
 */

export function scheduleLeave({ events, now, random, fleet }: World): void {
  events.push(now + exponential(random, AVAILABLE_MS / fleet.devices), LEAVE);
}

export function scheduleReturn({ events, now, random, fleet }: World): void {
  events.push(now + exponential(random, IN_USE_MS / fleet.devices), RETURN);
}

/** Somebody wants a device back. */
export function leave(world: World): void {
  scheduleLeave(world);
  const { fleet, random } = world;
  const device = random.below(fleet.devices);
  const state = fleet.stateOf(device);
  if (state === AWAY || state === DEAD) return;
  if (state === ACTING || state === RESTING) fleet.leaving[device] = 1;
  else go(world, device, random.next() < SILENT_SHARE);
}

/** Somebody has left a device alone: it accepts jobs again, and looks for one. */
export function comeBack(world: World): void {
  scheduleReturn(world);
  const { fleet, random, measures, now } = world;
  const device = random.below(fleet.devices);
  if (fleet.stateOf(device) !== AWAY) return;
  fleet.homes.add(device, fleet.positionOf(device));
  measures.change(now, 1, 0);
  take(world, device);
}

/** It was wanted back while a transaction was in flight, and that is over now. */
export function leaveAfterAll(world: World, device: number): void {
  world.fleet.leaving[device] = 0;
  go(world, device, false);
}

/** A dead device is missed: its stand and its home go. */
export function lapse(world: World, device: number): void {
  const { fleet } = world;
  if (fleet.stateOf(device) !== DEAD) return;
  removeFromRings(world, device);
  fleet.states[device] = AWAY;
}

function go(world: World, device: number, silent: boolean): void {
  const { fleet, events, measures, now } = world;
  const state = fleet.stateOf(device);
  fleet.interrupt(device);
  if (state !== BUSY) measures.change(now, -1, 0);
  const job = fleet.jobOf(device);
  fleet.jobs[device] = -1;
  if (job >= 0) {
    events.push(now + (silent ? LEASE_LOST_MS : transactionMs(STAGES.complete)), READY, job, 0);
  }
  if (state === WAITING) fleet.waiting.remove(device);
  fleet.states[device] = silent ? DEAD : AWAY;
  if (silent) events.push(now + (state === BUSY ? LEASE_LOST_MS : PRESENCE_LOST_MS), LAPSE, device);
  else removeFromRings(world, device);
}

function removeFromRings(world: World, device: number): void {
  const { fleet } = world;
  fleet.homes.remove(device);
  const cell = fleet.stands.cellOf(device);
  if (cell < 0) return;
  fleet.stands.remove(device);
  coverPassesOn(world, cell);
}
