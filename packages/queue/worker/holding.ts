import { isUnderWay, takesRoom } from "./attempt-machine.ts";
import type { Handler } from "./handler.ts";
import type { AttemptParts } from "./held-attempt.ts";
import { HeldAttempt } from "./held-attempt.ts";
import { JobFailure } from "./job-failure.ts";
import type { ClaimedJob } from "./protocol.ts";

export type HoldingParts = Omit<AttemptParts, "handler"> & {
  readonly handlers: Readonly<Record<string, Handler>>;
  /** How many handlers run at once. */
  readonly concurrency: () => number;
  readonly onEnded: () => void;
};

/** The attempts that this worker has, from when each was handed out until the queue has answered its end. */
export class Holding {
  readonly #parts: HoldingParts;
  readonly #attempts = new Map<string, HeldAttempt>();

  constructor(parts: HoldingParts) {
    this.#parts = parts;
  }

  get attemptIds(): ReadonlySet<string> {
    return new Set(this.#attempts.keys());
  }

  get any(): boolean {
    return this.#attempts.size > 0;
  }

  /** How many take up room: prefetched, or with a handler at work. */
  get taken(): number {
    return this.#all.filter(({ state }) => takesRoom(state)).length;
  }

  get #all(): readonly HeldAttempt[] {
    return [...this.#attempts.values()];
  }

  add(job: ClaimedJob): HeldAttempt {
    const { handlers, log, onEnded } = this.#parts;
    const attempt = new HeldAttempt(job, { ...this.#parts, handler: handlers[job.kind] ?? noHandler });
    this.#attempts.set(job.attemptId, attempt);
    const model = job.requirements.model ?? null;
    log("info", "attempt.claimed", { attemptId: job.attemptId, kind: job.kind, model, begun: job.begun });
    void attempt.ended.then(() => {
      this.#attempts.delete(job.attemptId);
      onEnded();
    });
    return attempt;
  }

  /** Begins as many of those that wait as there is room for. Returns which: the queue has to be told. */
  beginWaiting(): string[] {
    const room = this.#parts.concurrency() - this.#all.filter(({ state }) => isUnderWay(state)).length;
    const begun = this.#waiting.slice(0, Math.max(0, room));
    for (const attempt of begun) attempt.begin();
    return begun.map(({ attemptId }) => attemptId);
  }

  get #waiting(): readonly HeldAttempt[] {
    return this.#all.filter(({ state }) => state.kind === "waiting");
  }

  gone(attemptIds: readonly string[]): void {
    for (const attemptId of attemptIds) this.#attempts.get(attemptId)?.gone();
  }

  setWatched(watched: ReadonlyMap<string, boolean>): void {
    for (const [attemptId, is] of watched) this.#attempts.get(attemptId)?.setWatched(is);
  }

  yieldAll(reason: string): void {
    for (const attempt of this.#all) attempt.yield(reason);
  }

  yieldWaiting(reason: string): void {
    for (const attempt of this.#waiting) attempt.yield(reason);
  }

  /** Resolves when no handler is at work on any of those that are held now. */
  async letGo(): Promise<void> {
    await Promise.all(this.#all.map((attempt) => attempt.letGo));
  }

  async ended(): Promise<void> {
    await Promise.all(this.#all.map((attempt) => attempt.ended));
  }
}

const noHandler: Handler = async (_payload, { kind }) => {
  throw new JobFailure("no_handler", `This worker runs no jobs of kind "${kind}".`, { unfit: true });
};
