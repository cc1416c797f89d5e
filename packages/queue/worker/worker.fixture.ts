import { vi } from "vitest";
import type { JobContext } from "./contract/handler.ts";
import type { ClaimedJob } from "./contract/protocol.ts";
import { functionsAt } from "./contract/protocol.ts";
import type { WorkerOptions } from "./contract/worker-options.ts";
import { claimedJob, FakeQueue, nextWork, someSubscription } from "./fake-queue.fixture.ts";
import { Worker } from "./worker.ts";

/** A run of a handler, which the test ends. */
export type Run = {
  readonly ctx: JobContext;
  readonly payload: unknown;
  readonly finish: (result: unknown) => void;
  readonly fail: (error: unknown) => void;
};

/** A worker of a fake queue. The test ends its handlers, and aborted ones let go. Use with fake timers. */
export class WorkerAtTest {
  readonly queue = new FakeQueue();
  readonly runs: Run[] = [];
  readonly logged: string[] = [];
  readonly events: string[] = [];
  readonly worker: Worker;

  constructor(options: Partial<WorkerOptions> = {}) {
    this.worker = new Worker(this.queue, {
      key: "k",
      functions: functionsAt("work"),
      handlers: { echo: (payload, ctx) => this.#run(payload, ctx) as Promise<never> },
      log: (_level, event) => this.logged.push(event),
      onEvent: ({ kind }) => this.events.push(kind),
      ...options,
      times: { startAfterMs: 0, heldAfterMs: 0, ...options.times },
    });
  }

  #run(payload: unknown, ctx: JobContext): Promise<unknown> {
    return new Promise((finish, fail) => {
      ctx.signal.addEventListener("abort", () => fail(new Error("let go")));
      this.runs.push({ ctx, payload, finish, fail });
    });
  }

  /** Connected and greeted. Its `take` is unanswered. */
  async begin(): Promise<void> {
    this.worker.start();
    this.queue.connect(1);
    await settle();
  }

  /** Connected, greeted and waiting. No job is ready. */
  async wait(): Promise<void> {
    await this.begin();
    await this.answer("take", { kind: "ok", ...nextWork([], [someSubscription]) });
    this.showReady();
  }

  /** Connected, and running these jobs. */
  async hold(...jobs: readonly (string | ClaimedJob)[]): Promise<void> {
    await this.begin();
    const claimed = jobs.map((job) => (typeof job === "string" ? claimedJob(job) : job));
    this.queue.showHeld(...claimed.map(({ attemptId }) => attemptId));
    await this.answer("take", { kind: "ok", ...nextWork(claimed) });
  }

  async answer(name: string, value: unknown): Promise<void> {
    this.queue.call(name).answer(value);
    await settle();
  }

  /** Shows the worker these ready jobs. */
  showReady(...jobIds: readonly string[]): void {
    const jobs = jobIds.map((jobId) => ({ jobId, laneId: "l", late: false }));
    this.queue.showCandidates({ subscriptions: [someSubscription], jobs });
  }

  async stop(): Promise<void> {
    void this.worker.stop({ finishMs: 0, leaveMs: 1 });
    await settle(2);
  }
}

export async function settle(ms = 0): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}
