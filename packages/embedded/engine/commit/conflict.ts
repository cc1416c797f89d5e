import { isSystemIndex } from "../model/catalog.ts";
import type { Conflict, Timestamp } from "../model/types.ts";
import type { ChangedTable, CommitChanges } from "../snapshot/commit-changes.ts";
import type { CommitRecord } from "../snapshot/write-log.ts";
import { type MergedRanges, rangeAt } from "../transaction/read-set.ts";

type Collision = { readonly ts: Timestamp; readonly conflict: Conflict };

/**
 * Finds a write in the first of the given commits that falls into the read ranges, or null. Of several writes it
 * picks the one that best explains the read: a declared index before creation time, and that before id, which every
 * patch touches.
 */
export function firstCollision(reads: MergedRanges, commits: readonly CommitRecord[]): Collision | null {
  // A transaction reads few indexes, and the commits are changes of few tables.
  const readIn = new Map<ChangedTable, readonly string[]>();
  for (const { ts, changes } of commits) {
    let found: Conflict | null = null;
    for (const table of changes.tables) {
      const indexes = readIn.get(table) ?? indexesReadIn(table, reads);
      readIn.set(table, indexes);
      for (const qualifiedIndex of indexes) {
        const conflict = conflictIn(reads, qualifiedIndex, changes);
        if (conflict !== null && (found === null || explains(conflict) > explains(found))) found = conflict;
      }
    }
    if (found !== null) return { ts, conflict: found };
  }
  return null;
}

function indexesReadIn({ indexes }: ChangedTable, reads: MergedRanges): readonly string[] {
  return indexes.map(({ qualified }) => qualified).filter((qualified) => reads.has(qualified));
}

function conflictIn(reads: MergedRanges, qualifiedIndex: string, changes: CommitChanges): Conflict | null {
  let found: Conflict | null = null;
  changes.visit(qualifiedIndex, (key, documentId) => {
    const range = rangeAt(reads, qualifiedIndex, key);
    if (range === null) return false;
    const { table, index, lower, upper } = range;
    found = { table, index, documentId, range: { lower, upper } };
    return true;
  });
  return found;
}

function explains({ index }: Conflict): number {
  if (!isSystemIndex(index)) return 2;
  return index === "by_creation_time" ? 1 : 0;
}
