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
 * many as its weight. Places sort by slot, then by seat.
 * @param random in [0, 1), two of them.
 */
export function placeFor(
  job: {
    readonly affinity?: string | undefined;
    readonly requester?: string | undefined;
    readonly weight: number;
  },
  slots: number,
  random: readonly [number, number],
): number {
  const [forSlot, forSeat] = random;
  const point = job.affinity === undefined ? Math.floor(forSlot * ringSize) : hash16(job.affinity);
  const slot = point - (point % (ringSize / slots));
  const weight = Math.min(maxWeight, Math.max(1, Math.floor(job.weight)));
  const seat = hash16(`${String(Math.floor(forSeat * weight))}:${job.requester ?? ""}`);
  return slot * seats + seat;
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
export function firstPlaceAt(point: number): number {
  return point * seats;
}

/** 16 bits of FNV-1a over the UTF-16 units. Source: Fowler, Noll, Vo; folded by XOR as they advise. */
export function hash16(text: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193) >>> 0;
  }
  return ((hash >>> 16) ^ hash) & 0xffff;
}
