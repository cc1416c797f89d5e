import type { ClaimedJob, Cursor, NextWork, WaitSubscription } from "../../shared/validators.ts";
import { type Backend, queue } from "./queue.fixture.ts";
import type { TestWorker } from "./workers.fixture.ts";

/** As in packages/queue/worker/contract/times.ts, in ms. */
const lateAfterMs = 400;
const heldLateAfterMs = 2_000;
const triedForMs = 1_000;

/** A worker that acts like the library, one step at a time. It searches only where the queue has it wait. */
export class SteadyWorker {
  readonly #t: Backend;
  readonly #keyHash: string;
  readonly #held = new Map<string, ClaimedJob>();
  /** All attempts that it was given. The queue shows the last handed one even after its end. */
  readonly #given = new Set<string>();
  #subscriptions: readonly WaitSubscription[] | null = null;
  #cursor: Cursor | undefined;
  #lateSince: ReadonlyMap<string, number> = new Map();
  readonly #tried = new Map<string, number>();

  constructor(t: Backend, { keyHash }: TestWorker) {
    this.#t = t;
    this.#keyHash = keyHash;
  }

  /** It has at most one job, and ends it in its next step. */
  async step(): Promise<void> {
    const now = Date.now();
    for (const [jobId, at] of this.#tried) {
      if (now - at > triedForMs) this.#tried.delete(jobId);
    }
    const [held] = this.#held.values();
    if (held !== undefined) await this.#complete(held);
    else if (this.#subscriptions === null) await this.#take();
    else await this.#look(this.#subscriptions, now);
  }

  get #demand() {
    return { jobs: 1, ...(this.#cursor === undefined ? {} : { cursor: this.#cursor }) };
  }

  async #take(): Promise<void> {
    const outcome = await this.#t.mutation(queue.work.take, { keyHash: this.#keyHash, demand: this.#demand });
    if (outcome.kind === "ok") this.#receive(outcome);
  }

  async #complete({ attemptId }: ClaimedJob): Promise<void> {
    const end = { keyHash: this.#keyHash, attemptId, result: "done", demand: this.#demand };
    const next = await this.#t.mutation(queue.work.complete, end);
    this.#held.delete(attemptId);
    this.#receive(next);
  }

  #receive({ jobs, subscriptions, cursor }: NextWork): void {
    for (const job of jobs) {
      this.#given.add(job.attemptId);
      this.#held.set(job.attemptId, job);
    }
    this.#subscriptions = subscriptions.length > 0 ? subscriptions : null;
    this.#cursor = cursor;
  }

  async #look(followed: readonly WaitSubscription[], now: number): Promise<void> {
    const keyHash = this.#keyHash;
    const seen = await this.#t.query(queue.work.candidates, { keyHash, subscriptions: [...followed] });
    for (const job of await this.#t.query(queue.work.handed, { keyHash })) {
      if (this.#given.has(job.attemptId)) continue;
      this.#given.add(job.attemptId);
      this.#held.set(job.attemptId, job);
    }
    if (this.#held.size > 0) return;
    if (JSON.stringify(seen.subscriptions) !== JSON.stringify(followed)) {
      const isAt = new Set(seen.subscriptions.map(({ laneId }) => laneId));
      const lost = followed.some(({ laneId }) => laneId !== "" && !isAt.has(laneId));
      this.#subscriptions = lost || seen.subscriptions.length === 0 ? null : seen.subscriptions;
      return;
    }
    this.#lateSince = new Map(seen.jobs.map(({ jobId }) => [jobId, this.#lateSince.get(jobId) ?? now]));
    const chosen = seen.jobs.find(({ jobId, late, held }) => {
      const waitsMs = late ? (held === true ? heldLateAfterMs : lateAfterMs) : 0;
      return !this.#tried.has(jobId) && now - (this.#lateSince.get(jobId) ?? now) >= waitsMs;
    });
    if (chosen === undefined) return;
    const { jobId, late, laneId } = chosen;
    this.#tried.set(jobId, now);
    const claim = { keyHash, jobId, late, laneId, demand: { ...this.#demand, jobs: 0 } };
    const outcome = await this.#t.mutation(queue.work.claim, claim);
    if (outcome.kind !== "claimed") return;
    this.#receive({ jobs: [outcome.job], subscriptions: outcome.subscriptions, cursor: outcome.cursor });
  }
}
