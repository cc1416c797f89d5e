import { mix, type Random } from "../structures/random.ts";
import type { LaneView, SearchResult } from "./policy.ts";

const leastSlots = 16;

/** The largest power of two up to `count`. */
export function powerOfTwo(count: number): number {
  return 2 ** Math.floor(Math.log2(Math.max(1, count)));
}

/** The largest power of two of slots up to the number of accepting devices. */
export function slotsWithin(accepting: number, most: number): number {
  return Math.min(most, Math.max(leastSlots, powerOfTwo(accepting)));
}

/** The first cell of the slot that a cell lies in. */
export function slotCell(cell: number, lane: LaneView): number {
  return cell - (cell % (lane.cells / lane.slots));
}

export function randomSlot(lane: LaneView, random: Random): number {
  return slotCell(random.below(lane.cells), lane);
}

/** The first slot of a prefix. @param salt another one gives another slot. */
export function slotOfPrefix(prefix: number, lane: LaneView, salt = 0): number {
  return slotCell(mix(prefix + salt * 0x2545_f491) % lane.cells, lane);
}

/** One of the slots over which the jobs of a prefix are spread. */
export function slotNearPrefix(prefix: number, lane: LaneView, random: Random, salt = 0): number {
  const offset = random.below(lane.widthOf(prefix)) * (lane.cells / lane.slots);
  return (slotOfPrefix(prefix, lane, salt) + offset) % lane.cells;
}

export const nothing: SearchResult = { job: -1, stolen: false, read: [], scans: [] };

/** The first job of the cells [from, to), and the reads to find it or none. */
export function frontOf(from: number, to: number, lane: LaneView): SearchResult {
  const job = lane.firstIn(from, to);
  if (job < 0) return { ...nothing, scans: [{ of: "places", from, to }] };
  const cell = lane.cellOf(job);
  return {
    job,
    stolen: false,
    read: [job],
    scans: cell === from ? [] : [{ of: "places", from, to: cell }],
  };
}

/** The front of the slot that starts at this cell. */
export function frontOfSlot(cell: number, lane: LaneView): SearchResult {
  return frontOf(cell, (cell + lane.cells / lane.slots) % lane.cells, lane);
}
