import type { Calls, Unsubscribe } from "./calls.ts";
import { compareHeld, UsedElsewhere } from "./held-rows.ts";
import type { Holding } from "./holding.ts";
import { errorName, type Log } from "./log.ts";
import type { HeldRow } from "./protocol.ts";
import type { Returns } from "./returns.ts";
import type { WorkerTimes } from "./times.ts";

export type HeldWatchParts = {
  readonly calls: Calls;
  readonly holding: Holding;
  readonly returns: Returns;
  readonly times: WorkerTimes;
  readonly log: Log;
  readonly onRows: () => void;
  /** Another program takes jobs under the same key: it is left to it for so many milliseconds. */
  readonly onUsedElsewhere: (ms: number) => void;
};

/**
 * Follows `held`: what the queue counts as this worker's. An attempt that is no longer listed was canceled, stolen or
 * fenced; one that is listed and that nobody here works on is given back.
 */
export class HeldWatch {
  readonly #parts: HeldWatchParts;
  readonly #usedElsewhere = new UsedElsewhere();
  readonly #givingBack = new Set<string>();
  #unfollow: Unsubscribe | null = null;
  #rows: readonly HeldRow[] | null = null;
  /** When each attempt was first seen to be held. Like all times here of `performance.now()`, which nobody sets. */
  readonly #since = new Map<string, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #unsettled = new Set<string>();
  #othersUntil = 0;

  constructor(parts: HeldWatchParts) {
    this.#parts = parts;
  }

  /** This worker was handed it. */
  ours(attemptId: string): void {
    this.#usedElsewhere.ours(attemptId);
  }

  /**
   * What the queue counts as ours is looked at: once, or until an attempt is gone from it whose end was not taken in.
   */
  recheck(attemptId = ""): void {
    this.#unsettled.add(attemptId);
  }

  /** Follows while one of these is held for longer than a moment: a short job is over before it could be stopped. */
  follow(attemptIds: ReadonlySet<string>): void {
    clearTimeout(this.#timer);
    const now = performance.now();
    for (const attemptId of [...this.#since.keys()]) {
      if (!attemptIds.has(attemptId)) this.#since.delete(attemptId);
    }
    for (const attemptId of attemptIds) {
      if (!this.#since.has(attemptId)) this.#since.set(attemptId, now);
    }
    const oldest = Math.min(...this.#since.values());
    const dueMs = this.#unsettled.size > 0 ? 0 : oldest + this.#parts.times.heldAfterMs - now;
    this.#set(dueMs <= 0);
    if (dueMs > 0 && dueMs !== Infinity) this.#timer = setTimeout(() => this.#set(true), dueMs);
  }

  #set(on: boolean): void {
    if (on === (this.#unfollow !== null)) return;
    this.#unfollow?.();
    this.#unfollow = null;
    this.#rows = null;
    if (!on) return;
    const { calls, log, onRows } = this.#parts;
    this.#unfollow = calls.follow(
      "held",
      {},
      (rows) => {
        this.#rows = rows;
        onRows();
      },
      (error) => log("warn", "backend.query-failed", { query: "held", error: errorName(error) }),
    );
  }

  /**
   * Acts on the last that was said; may be called again and again.
   * @param quiet no call is under way that may bring jobs: else the list may be ahead of what is known here.
   */
  look(quiet: boolean): void {
    if (this.#rows === null) return;
    const { holding } = this.#parts;
    const { gone, foreign, watched } = compareHeld(this.#rows, holding.attemptIds);
    holding.gone(gone);
    holding.setWatched(watched);
    const now = performance.now();
    if (!quiet || now < this.#othersUntil) return;
    for (const attemptId of [...this.#unsettled]) {
      if (this.#rows.every((row) => row.attemptId !== attemptId)) this.#unsettled.delete(attemptId);
    }
    const unknown = foreign.filter((attemptId) => !this.#givingBack.has(attemptId));
    // Two programs that give back each other's jobs would get none done.
    if (this.#usedElsewhere.notes(unknown, now)) this.#leaveItToTheOther(now);
    else for (const attemptId of unknown) this.#giveBack(attemptId);
  }

  #leaveItToTheOther(now: number): void {
    const { log, times, onUsedElsewhere } = this.#parts;
    log("error", "device-key.used-elsewhere", { restMs: times.usedElsewhereMs });
    this.#othersUntil = now + times.usedElsewhereMs;
    onUsedElsewhere(times.usedElsewhereMs);
  }

  #giveBack(attemptId: string): void {
    const { returns, log } = this.#parts;
    this.#givingBack.add(attemptId);
    log("info", "attempt.returned", { attemptId });
    returns
      .give(attemptId, "not at work on it")
      .catch((error: unknown) => log("warn", "return.refused", { attemptId, error: errorName(error) }))
      .finally(() => this.#givingBack.delete(attemptId));
  }
}
