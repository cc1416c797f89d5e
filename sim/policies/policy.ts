import type { Random } from "../structures/random.ts";

/** A range that was read and was empty: cells of the lane's ring, or the jobs' random points. */
export type Scan = {
  readonly of: "places" | "points";
  readonly from: number;
  /** Exclusive. The whole ring if it equals `from`. */
  readonly to: number;
};

/** The result of a device's search, with its read set, which decides whether the transaction conflicts. */
export type SearchResult = {
  /** -1 if nothing was found. */
  readonly job: number;
  readonly stolen: boolean;
  /** Jobs whose rows were read, including the found one. */
  readonly read: readonly number[];
  readonly scans: readonly Scan[];
};

/** A policy's view of the ready jobs. Cells are points on the lane's ring. */
export interface LaneView {
  readonly cells: number;
  /** A power of two; slots lie evenly on the cells. */
  readonly slots: number;
  /** The first job in the cells from `from` up to `to`, exclusive (the whole ring if equal), or -1. */
  firstIn(from: number, to: number): number;
  /** The last job of a cell, or -1. */
  lastOf(cell: number): number;
  /** The next job in the same cell, or -1. */
  behind(job: number): number;
  lengthOf(cell: number): number;
  cellOf(job: number): number;
  /** The job with the next random point at or after this one, around the ring, or -1. */
  byPoint(point: number): number;
  pointOf(job: number): number;
  /** A random cell with jobs, or -1. */
  busyCell(random: Random): number;
  prefixOf(job: number): number;
  /** The number of slots of a prefix's jobs. Popular prefixes have more than one. */
  widthOf(prefix: number): number;
}

export interface DeviceView {
  readonly id: number;
  /** Its position on the ring. */
  readonly position: number;
  /** Whether it is the only or the last device at its position. In a large fleet devices share positions. */
  readonly hasHome: boolean;
  /** The cell that it watches, or -1. */
  readonly watched: number;
  /** The position of the next device that accepts jobs. */
  readonly nextHome: number;
  readonly latestPrefix: number;
  holds(prefix: number): boolean;
}

export type Positions = "hash" | "gaps";

/** A queue's decisions. They are pure functions of their arguments and of random numbers. */
export interface Policy {
  readonly name: string;
  readonly summary: string;
  /** Points of the lane's ring. */
  cells(devices: number): number;
  slots(accepting: number): number;
  /** The cell of a new job. @param prefix its hash. */
  place(prefix: number, lane: LaneView, random: Random): number;
  /** Whether a prefix has a slot, or several if it is popular. */
  readonly spreads: boolean;
  /** Whether the submission reads how many jobs two slots hold. */
  readonly readsLengths: boolean;
  /** The devices that a ready job wakes: all, those that watch its cell, or the waiter whose arc contains it. */
  readonly wakes: "everybody" | "watchers" | "waiter";
  /** Whether the submission gives the job to a device that waits near its cell. */
  readonly handsOver: boolean;
  /** The cell that a waiting device watches. For `waiter`, its position. */
  watch(device: DeviceView, lane: LaneView, random: Random): number;
  /**
   * The search for a device's next job, in the transaction of its completion unless `claimsFirst`.
   * @param joins whether the device starts to ask for jobs.
   */
  next(device: DeviceView, lane: LaneView, random: Random, joins: boolean): SearchResult;
  /** Whether a device that was woken promptly for its job waits again at its end without searching. */
  readonly restsWhenWoken: boolean;
  /** The choice of positions on the ring: at random, or in the largest gaps. */
  readonly positions: Positions;
  /** Whether the claim itself searches for a job, as in the published pattern. Otherwise jobs are claimed by id. */
  readonly claimsFirst: boolean;
  /** Finds a job elsewhere by a separate query, or -1. Null if the policy does not steal this way. */
  readonly steal: ((lane: LaneView, random: Random) => number) | null;
  /** The periodic action of a waiting device. */
  readonly polls: "steals" | "watches another" | "never";
}
