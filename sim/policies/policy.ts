import type { Random } from "../structures/random.ts";

/** A range that was read and found empty: of places on the lane's ring, or of the jobs' random points. */
export type Scan = {
  readonly of: "places" | "points";
  readonly from: number;
  /** Not included; the whole ring if it equals `from`. */
  readonly to: number;
};

/** What a device found. All that was read decides whether the transaction collides. */
export type Look = {
  /** -1: nothing. */
  readonly job: number;
  readonly stolen: boolean;
  /** Jobs whose rows were read, the found one among them. */
  readonly read: readonly number[];
  readonly scans: readonly Scan[];
};

/** The ready jobs, as a policy may see them. Cells are places on the lane's ring. */
export interface LaneView {
  readonly cells: number;
  /** A power of two; slots lie evenly on the cells. */
  readonly slots: number;
  /** The job that stands first in the cells from `from` up to, not including, `to` (the whole ring if equal); -1. */
  firstIn(from: number, to: number): number;
  /** Of one cell; -1. */
  lastOf(cell: number): number;
  /** The job in the same cell behind this one; -1. */
  behind(job: number): number;
  lengthOf(cell: number): number;
  cellOf(job: number): number;
  /** The job with the next random point at or after this one, around the ring; -1. */
  byPoint(point: number): number;
  pointOf(job: number): number;
  /** A random cell among those with jobs; -1. */
  busyCell(random: Random): number;
  prefixOf(job: number): number;
  /** Over how many slots the jobs of a prefix are spread: more than one where it is asked for often. */
  widthOf(prefix: number): number;
}

export interface DeviceView {
  readonly id: number;
  /** Its own place on the ring. */
  readonly position: number;
  /** Whether its own place is its alone, or it is the last one there: points lie closer than places where it is crowded. */
  readonly hasHome: boolean;
  /** The cell that it watches, -1 while it watches none. */
  readonly watched: number;
  /** Where the next device that accepts jobs has its place. */
  readonly nextHome: number;
  readonly latestPrefix: number;
  holds(prefix: number): boolean;
}

export type Positions = "hash" | "gaps";

/** Decisions of a queue; all of them pure but for the random numbers that they are given. */
export interface Policy {
  readonly name: string;
  readonly summary: string;
  /** Points of the lane's ring. */
  cells(devices: number): number;
  slots(accepting: number): number;
  /** The cell of a new job. @param prefix hashed. */
  place(prefix: number, lane: LaneView, random: Random): number;
  /** Whether a prefix has a slot, or more of them if it is asked for often. */
  readonly spreads: boolean;
  /** Whether the submission reads how many jobs two slots hold. */
  readonly readsLengths: boolean;
  /** Who is woken by a ready job: all, those who watch its cell, or the one whose arc of the ring covers it. */
  readonly wakes: "everybody" | "watchers" | "cover";
  /** Whether the submission gives the job to a device that waits near its cell. */
  readonly handsOver: boolean;
  /** The cell that a waiting device watches; for `cover`, where it stands. */
  watch(device: DeviceView, lane: LaneView, random: Random): number;
  /** What a device looks at for its next job; in the transaction of its completion, unless `claimsFirst`. `joins`: it has just come. */
  next(device: DeviceView, lane: LaneView, random: Random, joins: boolean): Look;
  /** Whether one that was woken for its job as soon as it was ready waits again at its end, without looking. */
  readonly restsWhenWoken: boolean;
  /** How places on the ring are chosen when devices are registered: at random, or in the largest gaps. */
  readonly positions: Positions;
  /** The claim itself looks for a job, apart from the completion: the published pattern. Else jobs are claimed by id. */
  readonly claimsFirst: boolean;
  /** Elsewhere's job for a device that found none, by a query of its own; -1. Null: this policy does not steal so. */
  readonly theft: ((lane: LaneView, random: Random) => number) | null;
  /** What a waiting device does once in a while. */
  readonly looksAgain: "steals" | "watches another" | "never";
}
