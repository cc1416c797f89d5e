import type { HeldRow } from "../contract/protocol.ts";

/** The rows of `held` compared with the attempts that this worker knows. */
export type HeldComparison = {
  /** Attempts that the worker knows and the queue does not list. */
  readonly gone: readonly string[];
  /** Attempts that the queue lists and the worker does not know. */
  readonly foreign: readonly string[];
  readonly watched: ReadonlyMap<string, boolean>;
};

/** @param known attempts that the queue may count as this worker's. */
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
 * Detects that two programs use one key: they would give back each other's jobs for ever. A single unknown attempt is no
 * proof, because the answer that brought it may have been lost.
 */
export type ForeignAttempts = {
  /** Attempts that this worker was given; the oldest are forgotten. */
  readonly own: ReadonlySet<string>;
  /** Attempts that it was never given: when each was first listed. */
  readonly seenAt: ReadonlyMap<string, number>;
};

export const noForeignAttempts: ForeignAttempts = { own: new Set(), seenAt: new Map() };

export function addOwn(attempts: ForeignAttempts, attemptId: string): ForeignAttempts {
  const own = [...attempts.own].filter((each) => each !== attemptId);
  return { ...attempts, own: new Set([...own.slice(1 - rememberedAttempts), attemptId]) };
}

/** `usedElsewhere`: three attempts within a minute were never this worker's, so another program uses its key. */
export function noteForeign(
  { own, seenAt: before }: ForeignAttempts,
  attemptIds: readonly string[],
  now: number,
): { readonly attempts: ForeignAttempts; readonly usedElsewhere: boolean } {
  const recent = [...before].filter(([, at]) => now - at <= windowMs);
  const added = attemptIds.filter((attemptId) => !own.has(attemptId)).map((id) => [id, now] as const);
  // Of an attempt that is listed twice, the earlier time counts.
  const seenAt = new Map([...added, ...recent]);
  const usedElsewhere = seenAt.size >= manyAttempts;
  return { attempts: { own, seenAt: usedElsewhere ? new Map() : seenAt }, usedElsewhere };
}
