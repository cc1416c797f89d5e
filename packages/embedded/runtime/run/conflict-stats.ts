import type { Conflict } from "../../engine/model/types.ts";
import { describeRange } from "../../values/keys/describe-range.ts";

export type FunctionStats = {
  readonly runs: number;
  readonly conflicts: number;
  readonly retries: number;
  /** Runs that conflicted on every attempt. */
  readonly exhausted: number;
  /** Number of conflicts by index, named "table.index". */
  readonly collisions: { readonly [index: string]: number };
  /** Ranges that were read and then changed by another commit, the most frequent first. */
  readonly ranges: readonly RangeStats[];
  /** The last collisions, the newest first. */
  readonly latest: readonly Collided[];
};

type RangeStats = { readonly table: string; readonly range: string; readonly conflicts: number };

type Collided = {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly table: string;
  readonly range: string;
  /** The document that the other commit wrote. */
  readonly documentId: string;
  readonly retried: boolean;
};

type Late = { readonly at: number; readonly conflict: Conflict; readonly retried: boolean };

type Counters = {
  runs: number;
  conflicts: number;
  retries: number;
  exhausted: number;
  readonly collisions: Map<string, number>;
  readonly ranges: Map<string, { readonly conflict: Conflict; count: number }>;
  latest: readonly Late[];
};

/** Most ranges per function. A new range replaces the least frequent one. */
const maxRanges = 32;
const maxLatest = 16;

/** Counts conflicts between mutations, by function. */
export class ConflictStats {
  readonly #now: () => number;
  readonly #functions = new Map<string, Counters>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  ran(identifier: string): void {
    this.#of(identifier).runs += 1;
  }

  conflicted(identifier: string, conflict: Conflict, again: boolean): void {
    const counters = this.#of(identifier);
    const place = `${conflict.table}.${conflict.index}`;
    counters.conflicts += 1;
    counters.collisions.set(place, (counters.collisions.get(place) ?? 0) + 1);
    if (again) counters.retries += 1;
    else counters.exhausted += 1;
    countRange(counters.ranges, conflict);
    const late = { at: this.#now(), conflict, retried: again };
    counters.latest = [late, ...counters.latest].slice(0, maxLatest);
  }

  snapshot(): { readonly [identifier: string]: FunctionStats } {
    const entries = [...this.#functions].map(([identifier, counters]): [string, FunctionStats] => [
      identifier,
      {
        ...counters,
        collisions: Object.fromEntries(counters.collisions),
        ranges: [...counters.ranges.values()]
          .sort((a, b) => b.count - a.count)
          .map(({ conflict, count }) => ({ ...placeOf(conflict), conflicts: count })),
        latest: counters.latest.map(({ at, conflict, retried }) => {
          return { at, ...placeOf(conflict), documentId: conflict.documentId, retried };
        }),
      },
    ]);
    return Object.fromEntries(entries);
  }

  /** Resets the counts to zero. */
  reset(): void {
    this.#functions.clear();
  }

  #of(identifier: string): Counters {
    let counters = this.#functions.get(identifier);
    if (counters === undefined) {
      counters = {
        runs: 0,
        conflicts: 0,
        retries: 0,
        exhausted: 0,
        collisions: new Map(),
        ranges: new Map(),
        latest: [],
      };
      this.#functions.set(identifier, counters);
    }
    return counters;
  }
}

function countRange(ranges: Counters["ranges"], conflict: Conflict): void {
  const key = keyOf(conflict);
  const known = ranges.get(key);
  if (known !== undefined) {
    known.count += 1;
    return;
  }
  if (ranges.size >= maxRanges) {
    const [rarest] = [...ranges].reduce((least, each) => (each[1].count < least[1].count ? each : least));
    ranges.delete(rarest);
  }
  ranges.set(key, { conflict, count: 1 });
}

function keyOf({ table, index, range }: Conflict): string {
  return JSON.stringify([table, index, range?.lower, range?.upper]);
}

function placeOf({ table, index, range }: Conflict): { readonly table: string; readonly range: string } {
  return { table, range: range === null ? index : describeRange(index, range) };
}
