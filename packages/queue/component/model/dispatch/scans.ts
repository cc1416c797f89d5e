import { ringSize, seatOf, seats } from "../placement.ts";
import type { Range } from "../rings/arcs.ts";

/** The largest part of a lane that a worker scans at the end of a job. */
const maxLocalShare = 1 / 64;
const localSlots = 4;
/** A worker that starts to ask scans at least this many slots, which is all of a small lane. */
const fullSlots = 16;

/**
 * The part of a lane that a worker scans for a job to steal at the end of a job. It is small: it finds a job if a few
 * wait for each worker, and then two thieves rarely meet. With fewer jobs a larger scan would conflict with every
 * submission and claim, so the worker waits for the jobs in its own arc.
 * @param within the number of slots to scan; the simulator compares other values.
 */
export function localScan(slots: number, within = localSlots): number {
  return Math.min(maxLocalShare, within / slots);
}

/**
 * The part that a worker scans when it starts to ask, which is rare. A scan of a whole large lane would conflict with
 * every submission.
 */
export function fullScan(slots: number, within = fullSlots): number {
  return Math.min(1, within / slots);
}

/** The most stretches that a home is read in. Each costs two reads for each priority. */
export const maxStretches = 16;

/** A stretch of a home in ring positions. It is read from `split` to `to`, then from `from` to `split`. */
export type Stretch = Range & { readonly split: number };

/**
 * How a worker searches its home. In each slot it starts at the seat after the last served one, so that requesters take
 * turns wherever their jobs are. A home with more than `most` slots, after a fleet shrank, is read in stretches of
 * several slots, each from a random slot.
 * @param after the ring position that was served last.
 * @param random one draw per call, in [0, 1).
 */
export function stretchesOf(
  home: readonly Range[],
  slots: number,
  after: number,
  random: () => number,
  most = maxStretches,
): readonly Stretch[] {
  const width = (ringSize / slots) * seats;
  const slotsHeld = home.reduce((sum, { from, to }) => sum + Math.ceil((to - from) / width), 0);
  const stretch = Math.ceil(slotsHeld / most) * width;
  const next = seatOf(after) + 1;
  return home.flatMap((range) =>
    cut(range, stretch).map(({ from, to }) => {
      const slotsHere = Math.ceil((to - from) / width);
      const first = from + Math.floor(random() * slotsHere) * width;
      return { from, to, split: Math.min(first + next, to) };
    }),
  );
}

/** Orders two ring positions by their seats' turns after the last served seat. Negative: `a` comes first. */
export function compareSeats(a: number, b: number, after: number): number {
  return turnsAfter(a, after) - turnsAfter(b, after);
}

function turnsAfter(ringPosition: number, after: number): number {
  return (seatOf(ringPosition) - seatOf(after) - 1 + seats) % seats;
}

/** Cuts a range at the multiples of `length`. */
function cut({ from, to }: Range, length: number): readonly Range[] {
  const pieces: Range[] = [];
  for (let start = from; start < to;) {
    const end = Math.min(to, (Math.floor(start / length) + 1) * length);
    pieces.push({ from: start, to: end });
    start = end;
  }
  return pieces;
}
