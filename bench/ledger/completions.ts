import type { Collisions } from "../support/admin.ts";

/** The function that ends a job and pays for it. */
const completion = "work.js:complete";

export type Completions = {
  readonly completions: number;
  /** Commits of completions that lost a conflict in a table of the app, such as the ledger, and ran again. */
  readonly ofApp: number;
  /** The same in the queue's tables: a completion also claims the worker's next job. */
  readonly ofQueue: number;
};

/** The completions between two readings, with their conflicts. */
export function completionsBetween(before: Collisions, after: Collisions): Completions {
  const [{ runs: earlier = 0, collisions: had = {} } = {}, { runs = 0, collisions = {} } = {}] = [
    before[completion],
    after[completion],
  ];
  const conflicts = (ofQueue: boolean): number =>
    Object.entries(collisions)
      .filter(([index]) => index.startsWith("queue/") === ofQueue)
      .reduce((sum, [index, count]) => sum + count - (had[index] ?? 0), 0);
  return { completions: runs - earlier, ofApp: conflicts(false), ofQueue: conflicts(true) };
}
