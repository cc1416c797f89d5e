import type { Timestamp } from "../model/types.ts";

/** Counts the transactions at each snapshot, so that the log keeps the commits that the oldest needs. */
export class LiveSnapshots {
  readonly #counts = new Map<Timestamp, number>();

  hold(snapshot: Timestamp): void {
    this.#counts.set(snapshot, (this.#counts.get(snapshot) ?? 0) + 1);
  }

  release(snapshot: Timestamp): void {
    const count = this.#counts.get(snapshot) ?? 0;
    if (count > 1) this.#counts.set(snapshot, count - 1);
    else this.#counts.delete(snapshot);
  }

  oldest(): Timestamp | null {
    let oldest: Timestamp | null = null;
    for (const snapshot of this.#counts.keys()) {
      if (oldest === null || snapshot < oldest) oldest = snapshot;
    }
    return oldest;
  }
}
