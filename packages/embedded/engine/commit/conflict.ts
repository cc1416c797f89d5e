import type { Key } from "../../values/keys/key.ts";
import { isSystemIndex } from "../model/catalog.ts";
import type { Conflict, Timestamp } from "../model/types.ts";
import type { CommitRecord } from "../snapshot/write-log.ts";
import { type MergedRanges, rangeAt } from "../transaction/read-set.ts";

type Collision = { readonly ts: Timestamp; readonly conflict: Conflict };

/**
 * Finds a write in the first of the given commits that falls into the read ranges, or null. Of several writes it
 * picks the one that best explains the read: a declared index before creation time, and that before id, which every
 * patch touches.
 */
export function firstCollision(reads: MergedRanges, commits: readonly CommitRecord[]): Collision | null {
  for (const { ts, changes } of commits) {
    let found: Conflict | null = null;
    // A transaction reads few indexes, and a commit changes all those of its tables.
    for (const qualifiedIndex of reads.keys()) {
      const keys = changes.get(qualifiedIndex);
      if (keys === undefined) continue;
      const conflict = conflictIn(reads, qualifiedIndex, keys);
      if (conflict !== null && (found === null || explains(conflict) > explains(found))) found = conflict;
    }
    if (found !== null) return { ts, conflict: found };
  }
  return null;
}

function conflictIn(
  reads: MergedRanges,
  qualifiedIndex: string,
  keys: Iterable<{ readonly key: Key; readonly documentId: string }>,
): Conflict | null {
  for (const { key, documentId } of keys) {
    const range = rangeAt(reads, qualifiedIndex, key);
    if (range === null) continue;
    const { table, index, lower, upper } = range;
    return { table, index, documentId, range: { lower, upper } };
  }
  return null;
}

function explains({ index }: Conflict): number {
  if (!isSystemIndex(index)) return 2;
  return index === "by_creation_time" ? 1 : 0;
}
