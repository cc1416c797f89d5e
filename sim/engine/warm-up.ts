import { halvedEveryMs } from "../../packages/queue/component/model/spreads/width.ts";
import { heldPrefixes, jobMeanMs, prefixMs, readMs, readStages, transactionMs } from "../figures.ts";
import { powerOfTwo } from "../policies/slots.ts";
import { availableOf, type Trace } from "../scenarios/trace.ts";
import { randomFrom } from "../structures/random.ts";
import type { Lane } from "./lane.ts";
import type { World } from "./world.ts";

/** The time from a job's being ready until a waiting device claims it. */
const handedOutMs = readStages.candidates * readMs + transactionMs(readStages.claim);

/**
 * Fills the devices' prefix caches as if each device had done `heldPrefixes` jobs. A million devices would need
 * millions of simulated jobs for that. Instead the policy places as many jobs, and each goes to the nearest
 * earlier device on the ring that has room.
 */
export function warmUp({ fleet, lane, policy, trace }: World): void {
  const random = randomFrom(trace.seed + 2);
  if (!policy.spreads) {
    // The policy ignores prefixes, so each device gets random ones.
    for (let share = 0; share < heldPrefixes; share += 1) {
      for (let device = 0; device < fleet.devices; device += 1) fleet.hold(device, trace.drawPrefix(random));
    }
    return;
  }
  const prefixes = Int32Array.from({ length: fleet.devices * heldPrefixes }, () => trace.drawPrefix(random));
  spreadPrefixes(lane, trace, prefixes);
  const order = byPosition(fleet.devices, fleet.positionOf, lane.cells);
  const room = new Uint8Array(fleet.devices).fill(heldPrefixes);
  const back = new Int32Array(fleet.devices).map((_, index) => index);
  for (const prefix of prefixes) {
    const index = withRoom(order.lastUpTo(policy.place(prefix, lane, random)), back);
    fleet.hold(order.devices[index] ?? 0, prefix);
    room[index] = (room[index] ?? 0) - 1;
    if (room[index] === 0) back[index] = (index + fleet.devices - 1) % fleet.devices;
  }
}

/**
 * Spreads each prefix as far as its jobs would have spread it. A prefix widens when three of its jobs meet at one
 * slot, and narrows after `halvedEveryMs`. At a rate r per slot a job meets two more with a chance of
 * (r · handedOutMs)² / 2. The width balances both. Each doubling takes a second, too long to simulate.
 */
function spreadPrefixes(lane: Lane, { devices, busyAtStart }: Trace, prefixes: Int32Array): void {
  const perMs = (busyAtStart * availableOf(devices)) / (jobMeanMs + prefixMs);
  const counts = new Map<number, number>();
  for (const prefix of prefixes) counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
  for (const [prefix, count] of counts) {
    const rate = (perMs * count) / prefixes.length;
    const width = powerOfTwo(rate ** 1.5 * handedOutMs * Math.sqrt(halvedEveryMs / 2));
    if (width > 1) lane.spread(prefix, Math.min(width, lane.slots));
  }
}

/** Finds the nearest earlier index that points to itself, and shortens the path. */
function withRoom(from: number, back: Int32Array): number {
  let index = from;
  for (let steps = 0; back[index] !== index && steps < back.length; steps += 1) {
    const next = back[index] ?? 0;
    back[index] = back[next] ?? 0;
    index = next;
  }
  return index;
}

function byPosition(
  count: number,
  positionOf: (device: number) => number,
  cells: number,
): { readonly devices: Int32Array; readonly lastUpTo: (cell: number) => number } {
  const upTo = new Int32Array(cells);
  for (let device = 0; device < count; device += 1) {
    const position = positionOf(device);
    upTo[position] = (upTo[position] ?? 0) + 1;
  }
  for (let cell = 1; cell < cells; cell += 1) upTo[cell] = (upTo[cell] ?? 0) + (upTo[cell - 1] ?? 0);
  const next = Int32Array.from(upTo);
  const devices = new Int32Array(count);
  for (let device = 0; device < count; device += 1) {
    const position = positionOf(device);
    const index = (next[position] ?? 0) - 1;
    next[position] = index;
    devices[index] = device;
  }
  return { devices, lastUpTo: (cell) => ((upTo[cell] ?? 0) + count - 1) % count };
}
