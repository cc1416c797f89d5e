import type { Conflict } from "../engine/types.ts";

export type FunctionStats = {
  readonly runs: number;
  readonly conflicts: number;
  readonly retries: number;
  /** Runs that lost every race. */
  readonly exhausted: number;
  /** How many of the conflicts were about each index, as "table.index". */
  readonly collisions: { readonly [index: string]: number };
};

type Counters = {
  runs: number;
  conflicts: number;
  retries: number;
  exhausted: number;
  readonly collisions: Map<string, number>;
};

/** Counts what mutations lose to each other, by function. */
export class ConflictStats {
  readonly #functions = new Map<string, Counters>();

  ran(identifier: string): void {
    this.#of(identifier).runs += 1;
  }

  conflicted(identifier: string, { table, index }: Conflict, again: boolean): void {
    const counters = this.#of(identifier);
    const place = `${table}.${index}`;
    counters.conflicts += 1;
    counters.collisions.set(place, (counters.collisions.get(place) ?? 0) + 1);
    if (again) counters.retries += 1;
    else counters.exhausted += 1;
  }

  snapshot(): { readonly [identifier: string]: FunctionStats } {
    const entries = [...this.#functions].map(([identifier, counters]): [string, FunctionStats] => [
      identifier,
      { ...counters, collisions: Object.fromEntries(counters.collisions) },
    ]);
    return Object.fromEntries(entries);
  }

  #of(identifier: string): Counters {
    let counters = this.#functions.get(identifier);
    if (counters === undefined) {
      counters = { runs: 0, conflicts: 0, retries: 0, exhausted: 0, collisions: new Map() };
      this.#functions.set(identifier, counters);
    }
    return counters;
  }
}
