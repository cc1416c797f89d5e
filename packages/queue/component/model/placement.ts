/** The number of points on the ring. A lane uses a power of two of them as slots, evenly spread. */
export const ringSize = 65_536;
/** The number of seats in a slot. Workers take turns between seats, and so between requesters. */
export const seats = 65_536;
export const maxWeight = 16;
/** The number of slots of a lane whose workers have not been counted yet. */
export const minSlots = 16;
const maxSlots = 16_384;

/**
 * The number of slots for a lane with this many accepting workers. There are never more slots than workers, so every
 * slot is in some worker's home.
 */
export function slotsFor(workers: number): number {
  return Math.min(maxSlots, 2 ** Math.floor(Math.log2(Math.max(1, workers))));
}

/**
 * The place of a job: its ring position is slot × 65,536 + seat (stored as `place`). The affinity chooses the slot,
 * otherwise chance does. Each requester has as many seats in a slot as its weight. An affinity may be spread over
 * several slots, starting at its own. A later job of the same affinity in a submission goes one slot further for each
 * job before it.
 * @param job.width the number of slots that the affinity is spread over: model/spreads/width.ts.
 * @param job.ordinal the number of jobs with the same affinity and lane before this one in its submission.
 * @param random two numbers in [0, 1).
 */
export function ringPositionFor(
  job: {
    readonly affinity?: string | undefined;
    readonly requester?: string | undefined;
    readonly weight: number;
    readonly width?: number;
    readonly ordinal?: number;
  },
  slots: number,
  random: readonly [number, number],
): number {
  const [forSlot, forSeat] = random;
  const slot = slotFor(job, slots, forSlot);
  const weight = Math.min(maxWeight, Math.max(1, Math.floor(job.weight)));
  const seat = hash16(`${String(Math.floor(forSeat * weight))}:${job.requester ?? ""}`);
  return slot * seats + seat;
}

function slotFor(
  {
    affinity,
    width = 1,
    ordinal = 0,
  }: { readonly affinity?: string | undefined; readonly width?: number; readonly ordinal?: number },
  slots: number,
  random: number,
): number {
  const between = ringSize / slots;
  if (affinity === undefined) return Math.floor(random * slots) * between;
  const first = Math.floor(hash16(affinity) / between);
  return ((first + Math.floor(random * width) + ordinal) % slots) * between;
}

/**
 * The two stored fields by which workers find a job. `place` is the ring position: waiting workers and the home's
 * worker search by it. `dice` is the sample key in [0, 1): thieves search by it.
 */
export type Spot = { readonly place: number; readonly dice: number };

/** Beyond the end of the ring. No search reads past it. */
const parkedFrom = ringSize * seats;

/** The same spot, hidden from every search. For a job that was handed to a waiting worker. */
export function parked({ place, dice }: Spot): Spot {
  return { place: parkedFrom + (place % parkedFrom), dice: 1 + (dice % 1) };
}

/** The spot at which searches find the job again. */
export function unparked({ place, dice }: Spot): Spot {
  return { place: place % parkedFrom, dice: dice % 1 };
}

/** The ring point of the slot, 0 to 65,535. */
export function slotOf(ringPosition: number): number {
  return Math.floor(ringPosition / seats);
}

/** The seat within the slot, 0 to 65,535. */
export function seatOf(ringPosition: number): number {
  return ringPosition % seats;
}

/** The first ring position of a point. */
export function ringPositionAt(point: number): number {
  return point * seats;
}

/**
 * A worker's position in every ring, in [0, 65,536). It depends on the hash of the worker's key only, so registering
 * reads no other worker. Positions in the largest gaps were no better: sim/README.md.
 */
export function positionOf(keyHash: string): number {
  const hash = fnv1a(keyHash);
  const [whole, fraction] = [scrambled(hash), scrambled(hash ^ fnv1a(`${keyHash}:`))];
  // 53 bits, so two workers practically never share a position.
  return (whole + (fraction >>> 11) / 2 ** 21) / (2 ** 32 / ringSize);
}

/** 16 bits of FNV-1a, folded by XOR as its authors advise. */
export function hash16(text: string): number {
  const hash = fnv1a(text);
  return ((hash >>> 16) ^ hash) & 0xffff;
}

/** FNV-1a with 32 bits over the UTF-16 units. Source: Fowler, Noll, Vo. */
function fnv1a(text: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193) >>> 0;
  }
  return hash;
}

/**
 * Makes every output bit depend on every input bit; FNV-1a maps similar texts to close values. Source: the final
 * step of MurmurHash3.
 */
function scrambled(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
