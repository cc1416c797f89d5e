import type { HeldRow } from "./protocol.ts";

/** What `held` says beside what this worker knows. */
export type HeldComparison = {
  /** At work on, and no longer ours. */
  readonly gone: readonly string[];
  /** Counted as ours, and nobody here is at work on it. */
  readonly foreign: readonly string[];
  readonly watched: ReadonlyMap<string, boolean>;
};

/** @param known all attempts of this worker that the queue may still count as its own. */
export function compareHeld(rows: readonly HeldRow[], known: ReadonlySet<string>): HeldComparison {
  const watched = new Map(rows.map((row) => [row.attemptId, row.watched]));
  return {
    gone: [...known].filter((attemptId) => !watched.has(attemptId)),
    foreign: [...watched.keys()].filter((attemptId) => !known.has(attemptId)),
    watched,
  };
}

const windowMs = 60_000;
const manyAttempts = 3;
const rememberedAttempts = 1_000;

/**
 * Tells a program that forgot an attempt (an answer was lost) from two programs with one key: each would give back what
 * the other takes, for ever. Three attempts within a minute that were never ours are the latter.
 */
export class UsedElsewhere {
  readonly #ours = new Set<string>();
  readonly #foreign = new Map<string, number>();

  /** This worker claimed it. */
  ours(attemptId: string): void {
    this.#ours.add(attemptId);
    const [oldest] = this.#ours;
    if (this.#ours.size > rememberedAttempts && oldest !== undefined) this.#ours.delete(oldest);
  }

  /** Notes foreign attempts. Returns whether somebody else is at work with this key. */
  notes(attemptIds: readonly string[], now: number): boolean {
    for (const [attemptId, at] of this.#foreign) if (now - at > windowMs) this.#foreign.delete(attemptId);
    for (const attemptId of attemptIds) {
      if (!this.#ours.has(attemptId) && !this.#foreign.has(attemptId)) this.#foreign.set(attemptId, now);
    }
    if (this.#foreign.size < manyAttempts) return false;
    this.#foreign.clear();
    return true;
  }
}
