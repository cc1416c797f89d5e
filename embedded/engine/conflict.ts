import { rangeAt, type MergedRanges } from "./read-set.ts";
import type { Conflict, Timestamp } from "./types.ts";
import type { CommitRecord } from "./write-log.ts";

export type Collision = { readonly ts: Timestamp; readonly conflict: Conflict };

/** The first write of the given commits that falls into what was read, or null. */
export function firstCollision(reads: MergedRanges, commits: readonly CommitRecord[]): Collision | null {
  for (const { ts, changes } of commits) {
    for (const [qualifiedIndex, keys] of changes) {
      if (!reads.has(qualifiedIndex)) continue;
      for (const { key, documentId } of keys) {
        const range = rangeAt(reads, qualifiedIndex, key);
        if (range === null) continue;
        const { table, index, lower, upper } = range;
        return { ts, conflict: { table, index, documentId, range: { lower, upper } } };
      }
    }
  }
  return null;
}
