import { leaseLostMs, presenceLostMs, readStages, transactionMs } from "../figures.ts";
import { passArcOn } from "./notify.ts";
import { deviceState } from "./states.ts";
import { eventKind, type World } from "./world.ts";

/** The person came back during a transaction. It has now ended, so the device leaves. */
export function departAfterTransaction(world: World, device: number): void {
  world.fleet.leaving[device] = 0;
  depart(world, device, false);
}

/** The lease of a dead device expires, so it leaves the rings. */
export function expireLease(world: World, device: number): void {
  const { fleet } = world;
  if (fleet.stateOf(device) !== deviceState.dead) return;
  removeFromRings(world, device);
  fleet.states[device] = deviceState.away;
}

/** A device leaves, silently or not. Its job becomes ready again, and it loses its positions on the rings. */
export function depart(world: World, device: number, silent: boolean): void {
  const { fleet, events, measures, now } = world;
  const state = fleet.stateOf(device);
  fleet.interrupt(device);
  if (state !== deviceState.busy) measures.change(now, -1, 0);
  const job = fleet.jobOf(device);
  fleet.jobs[device] = -1;
  if (job >= 0) {
    events.push(now + (silent ? leaseLostMs : transactionMs(readStages.complete)), eventKind.ready, job, 0);
  }
  if (state === deviceState.waiting) fleet.waiting.remove(device);
  fleet.states[device] = silent ? deviceState.dead : deviceState.away;
  if (silent)
    events.push(
      now + (state === deviceState.busy ? leaseLostMs : presenceLostMs),
      eventKind.expireLease,
      device,
    );
  else removeFromRings(world, device);
}

function removeFromRings(world: World, device: number): void {
  const { fleet } = world;
  fleet.homes.remove(device);
  const cell = fleet.waiterRing.cellOf(device);
  if (cell < 0) return;
  fleet.waiterRing.remove(device);
  passArcOn(world, cell);
}
