/** Slots lie on a ring of so many points; a lane uses a power of two of them, evenly. */
export const ringSize = 65_536;
/** Seats of a slot: between them turns are taken. */
export const seats = 65_536;
export const maxWeight = 16;
/** Slots of a lane whose workers nobody has counted yet. */
export const minSlots = 16;
const maxSlots = 16_384;

/** The slots of a lane at which so many workers accept: not more than they are, so that each is somebody's home. */
export function slotsFor(workers: number): number {
  return Math.min(maxSlots, 2 ** Math.floor(Math.log2(Math.max(1, workers))));
}

/**
 * Where a job is put: the slot by its affinity, else by chance; within it a seat of its requester, who has as
 * many as its weight. Places sort by slot, then by seat. The affinity's slot is the first of as many as its jobs are
 * spread over; one that stands behind others of its affinity in a submission goes that many slots further.
 * @param job.width over how many slots: model/spreads/width.ts.
 * @param job.ordinal how many of the same affinity and lane stand before it in its submission.
 * @param random in [0, 1), two of them.
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

/** Where a job is found: by who waits or is at home there, and by thieves. */
export type Spot = { readonly place: number; readonly dice: number };

/** Beyond every arc, and every draw. */
const parkedFrom = ringSize * seats;

/** The same spot, found by nobody: for a job that was handed to a worker. */
export function parked({ place, dice }: Spot): Spot {
  return { place: parkedFrom + (place % parkedFrom), dice: 1 + (dice % 1) };
}

/** Where it is found again. */
export function unparked({ place, dice }: Spot): Spot {
  return { place: place % parkedFrom, dice: dice % 1 };
}

/** The slot's point of the ring, 0 to 65,535. */
export function slotOf(place: number): number {
  return Math.floor(place / seats);
}

/** The seat within the slot, 0 to 65,535. */
export function seatOf(place: number): number {
  return place % seats;
}

/** The first place of a slot or of any point of the ring. */
export function ringPositionAt(point: number): number {
  return point * seats;
}

/**
 * Where a worker stands in every ring: from 0, below 65,536, by its key's hash alone, so that registering reads no
 * other worker. Places chosen in the largest gaps were no better: sim/README.md.
 */
export function positionOf(keyHash: string): number {
  const hash = fnv1a(keyHash);
  const [whole, fraction] = [scrambled(hash), scrambled(hash ^ fnv1a(`${keyHash}:`))];
  // 53 bits: so that no two stand at the very same place.
  return (whole + (fraction >>> 11) / 2 ** 21) / (2 ** 32 / ringSize);
}

/** 16 bits of FNV-1a, folded by XOR as its authors advise. */
export function hash16(text: string): number {
  const hash = fnv1a(text);
  return ((hash >>> 16) ^ hash) & 0xffff;
}

/** 32 bits of FNV-1a over the UTF-16 units. Source: Fowler, Noll, Vo. */
function fnv1a(text: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193) >>> 0;
  }
  return hash;
}

/** All bits of 32 depend on all: texts that end alike would stand close together. Source: MurmurHash3's last step. */
function scrambled(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
