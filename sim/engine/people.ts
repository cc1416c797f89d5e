import { availableMs, inUseMs, silentShare } from "../figures.ts";
import { exponential } from "../structures/random.ts";
import { take } from "./claim.ts";
import { depart } from "./departures.ts";
import { deviceState } from "./states.ts";
import { eventKind, type World } from "./world.ts";

/*
 * People come and go without memory, so one stream of events represents a million people. An event draws a random
 * device, and counts only if the device is in the state that the event ends.
 */

export function scheduleLeave({ events, now, random, fleet }: World): void {
  events.push(now + exponential(random, availableMs / fleet.devices), eventKind.leave);
}

export function scheduleReturn({ events, now, random, fleet }: World): void {
  events.push(now + exponential(random, inUseMs / fleet.devices), eventKind.return);
}

/** A person comes back to a device. */
export function leave(world: World): void {
  scheduleLeave(world);
  const { fleet, random } = world;
  const device = random.below(fleet.devices);
  const state = fleet.stateOf(device);
  if (state === deviceState.away || state === deviceState.dead) return;
  if (state === deviceState.acting || state === deviceState.resting) fleet.leaving[device] = 1;
  else depart(world, device, random.next() < silentShare);
}

/** A person leaves a device, which accepts jobs again and searches for one. */
export function comeBack(world: World): void {
  scheduleReturn(world);
  const { fleet, random, measures, now } = world;
  const device = random.below(fleet.devices);
  if (fleet.stateOf(device) !== deviceState.away) return;
  fleet.homes.add(device, fleet.positionOf(device));
  measures.change(now, 1, 0);
  take(world, device);
}
