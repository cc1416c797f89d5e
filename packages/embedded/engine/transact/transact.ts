import { setTimeout as sleep } from "node:timers/promises";
import type { Conflict, Engine, Timestamp, Transaction } from "../model/types.ts";
import type { Turns } from "./turns.ts";

/**
 * Writes in a transaction of its own and resolves when that is on disk. Rejects with the body's error, or when
 * every retry conflicted; then nothing is written. The body may run more than once.
 */
export async function transact<T>(engine: Engine, body: (transaction: Transaction) => T): Promise<T> {
  const committed = await commitWithRetries(engine, async (transaction) => ({
    commit: true,
    result: body(transaction),
  }));
  if (committed.kind === "conflicted") throw new Error(committed.message);
  return committed.result;
}

/** The result of one attempt, and whether to commit its writes. */
export type Attempt<T> = { readonly commit: boolean; readonly result: T };

type Committed<T> =
  | { readonly kind: "finished"; readonly ts: Timestamp; readonly result: T }
  | { readonly kind: "conflicted"; readonly ts: Timestamp; readonly message: string };

type RetryOptions = {
  /** Called for each conflict. `again` says whether the transaction is retried. */
  readonly onConflict?: (conflict: Conflict, again: boolean) => void;
  /** Delay before each commit, in ms. */
  readonly commitMs?: number;
  /** Each attempt takes a turn from its snapshot to the end of its commit. */
  readonly turns?: Pick<Turns, "run">;
};

const maxAttempts = 5;
const firstBackoffMs = 10;
const maxBackoffMs = 2_000;

/**
 * Runs a transaction and commits it. After a conflict it waits a little and retries on a newer snapshot, five
 * attempts in all. An attempt may run more than once.
 */
export async function commitWithRetries<T>(
  engine: Engine,
  attempt: (transaction: Transaction) => Promise<Attempt<T>>,
  { onConflict, commitMs = 0, turns }: RetryOptions = {},
): Promise<Committed<T>> {
  for (let tries = 1; ; tries += 1) {
    const attemptNow = (): Promise<Tried<T>> => attemptOnce(engine, attempt, commitMs);
    const tried = await (turns === undefined ? attemptNow() : turns.run(attemptNow));
    if (tried.kind === "finished") return tried;
    const again = tries < maxAttempts;
    onConflict?.(tried.conflict, again);
    if (!again) return { kind: "conflicted", ts: tried.ts, message: conflictMessage(tried.conflict) };
    await sleep(backoffMs(tries, tried.tookMs, Math.random()));
  }
}

/** One attempt, or its conflict with the time that it took, in ms. */
type Tried<T> =
  | (Committed<T> & { readonly kind: "finished" })
  | {
      readonly kind: "conflict";
      readonly ts: Timestamp;
      readonly conflict: Conflict;
      readonly tookMs: number;
    };

async function attemptOnce<T>(
  engine: Engine,
  attempt: (transaction: Transaction) => Promise<Attempt<T>>,
  commitMs: number,
): Promise<Tried<T>> {
  const startedAt = performance.now();
  const transaction = engine.begin();
  const { commit, result } = await attempt(transaction).catch((error: unknown) => {
    engine.discard(transaction);
    throw error;
  });
  const ts = transaction.snapshot;
  if (!commit) {
    engine.discard(transaction);
    return { kind: "finished", ts, result };
  }
  if (commitMs > 0) await sleep(commitMs);
  const outcome = await engine.commit(transaction);
  if (outcome.kind === "committed") return { kind: "finished", ts: outcome.ts, result };
  return { kind: "conflict", ts, conflict: outcome.conflict, tookMs: performance.now() - startedAt };
}

/**
 * Delay before the next attempt, in ms: doubled each time, with jitter between half and all of it. It starts at the
 * attempt's duration, so retries also spread out on a slow machine.
 */
export function backoffMs(tries: number, attemptMs: number, random: number): number {
  const full = Math.min(Math.max(firstBackoffMs, attemptMs) * 2 ** (tries - 1), maxBackoffMs);
  return full / 2 + (random * full) / 2;
}

/** Convex's wording for a mutation that conflicted on every attempt. */
function conflictMessage({ table, documentId }: Conflict): string {
  return (
    `OptimisticConcurrencyControlFailure: Documents read from or written to the "${table}" table changed while ` +
    "this mutation was being run and on every subsequent retry. " +
    `The document with ID "${documentId}" was changed. See https://docs.convex.dev/error#1`
  );
}
