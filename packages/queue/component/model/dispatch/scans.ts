import { ringSize, seatOf, seats } from "../placement.ts";
import type { Range } from "../rings/arcs.ts";

/** At most this part of a lane is looked at by one that has just ended a job. */
const maxLocalShare = 1 / 64;
const localSlots = 4;
/** At the least, so much is looked at by one that begins to ask: all of it in a small fleet. */
const fullSlots = 16;

/**
 * In which part of a lane one that has just ended a job looks for one to steal. So small that it finds one where a few
 * wait for each worker: there two thieves seldom meet. Where fewer do, it would collide with every submission and claim,
 * and waits instead: what is ready in its arc, which is nobody else's, is shown to it there.
 * @param within how many slots' worth; the simulator compares others.
 */
export function localScan(slots: number, within = localSlots): number {
  return Math.min(maxLocalShare, within / slots);
}

/** The same for one that begins to ask, which is seldom. All of a large lane would collide with every submission, too. */
export function fullScan(slots: number, within = fullSlots): number {
  return Math.min(1, within / slots);
}

/** The most stretches that a home is looked at in: each costs two reads a level. */
export const maxStretches = 16;

/** A stretch of a home: looked at from `split` to `to`, then from `from` to `split`. In places. */
export type Stretch = Range & { readonly split: number };

/**
 * How a worker looks through its home. Each slot is looked at from the seat after the last one served, so that between
 * seats, and so between requesters, turns are taken whatever slots their jobs stand at. A home with more slots
 * than `most` (a fleet that shrank) is looked at in stretches of several, each from a slot drawn by chance.
 * @param after the place that was served last.
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

/** Which of two seats comes first after the last one served, around the slot. Negative: `a`. */
export function compareSeats(a: number, b: number, after: number): number {
  return turnsAfter(a, after) - turnsAfter(b, after);
}

function turnsAfter(place: number, after: number): number {
  return (seatOf(place) - seatOf(after) - 1 + seats) % seats;
}

/** Cuts at the multiples of the stretch's length. */
function cut({ from, to }: Range, length: number): readonly Range[] {
  const pieces: Range[] = [];
  for (let start = from; start < to;) {
    const end = Math.min(to, (Math.floor(start / length) + 1) * length);
    pieces.push({ from: start, to: end });
    start = end;
  }
  return pieces;
}
