import type { Timestamp } from "../model/types.ts";
import type { CommitChanges } from "./commit-changes.ts";

export type CommitRecord = {
  readonly ts: Timestamp;
  /** Time of the commit in ms. Retention counts from it. */
  readonly madeAt: number;
  readonly changes: CommitChanges;
};

type Retention = {
  /** Younger commits are kept, within the limits below. In ms. */
  readonly windowMs: number;
  /** Most written keys in all kept commits. */
  readonly maxIdleKeys: number;
  /** A larger limit for commits that a live transaction needs. */
  readonly maxHeldKeys: number;
};

export const defaultRetention: Retention = { windowMs: 30_000, maxIdleKeys: 40_000, maxHeldKeys: 400_000 };

/** The recent commits, oldest first: enough to rebuild every snapshot from `floor` on. */
export class WriteLog {
  #records: CommitRecord[] = [];
  #floor: Timestamp;
  #newest: Timestamp;
  #keys = 0;

  constructor(floor: Timestamp) {
    this.#floor = floor;
    this.#newest = floor;
  }

  /** The oldest snapshot that can be rebuilt. */
  get floor(): Timestamp {
    return this.#floor;
  }

  /** The newest commit's timestamp. */
  get newest(): Timestamp {
    return this.#newest;
  }

  get size(): number {
    return this.#records.length;
  }

  append(record: CommitRecord): void {
    this.#records.push(record);
    this.#keys += record.changes.size;
    this.#newest = record.ts;
  }

  /** The commits after `ts`, oldest first. */
  since(ts: Timestamp): readonly CommitRecord[] {
    if (ts >= this.#newest) return [];
    let low = 0;
    let high = this.#records.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#records[middle] as CommitRecord).ts <= ts) low = middle + 1;
      else high = middle;
    }
    return this.#records.slice(low);
  }

  /** Drops the commits that neither the retention nor a transaction at `oldestLive` or later needs. */
  trim(now: number, oldestLive: Timestamp | null, retention: Retention = defaultRetention): void {
    let dropped = 0;
    for (const record of this.#records) {
      const isHeld = oldestLive !== null && record.ts > oldestLive;
      const isRecent = now - record.madeAt < retention.windowMs && this.#keys <= retention.maxIdleKeys;
      if ((isHeld && this.#keys <= retention.maxHeldKeys) || isRecent) break;
      this.#floor = record.ts;
      this.#keys -= record.changes.size;
      dropped += 1;
    }
    if (dropped > 0) this.#records = this.#records.slice(dropped);
  }

  /** Drops all commits: `ts` becomes the only snapshot. */
  reset(ts: Timestamp): void {
    this.#records = [];
    this.#keys = 0;
    this.#floor = ts;
    this.#newest = ts;
  }
}
