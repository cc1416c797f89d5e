import { AVAILABLE_MS, IN_USE_MS, SILENT_SHARE } from "../figures.ts";
import { exponential } from "../structures/random.ts";
import { take } from "./claiming.ts";
import { go } from "./departures.ts";
import { ACTING, AWAY, DEAD, RESTING } from "./states.ts";
import { LEAVE, RETURN, type World } from "./world.ts";

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
