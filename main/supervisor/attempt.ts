import { assertNever } from "../../app/assert-never.ts";
import type { Backend, FromRunner, LoadReport, RunnerJob, Speed } from "../../app/contract/runner.ts";
import type { JobError } from "../../app/jobs/chat.ts";
import type { WorkResult } from "../../app/jobs/work.ts";
import { withResolvers } from "../with-resolvers.ts";

export type RunEvents = {
  readonly loaded: (report: LoadReport) => void;
  readonly text: (text: string) => void;
  readonly measured: (speed: Speed & { readonly backend: Backend }) => void;
};

export type RunOutcome =
  | { readonly kind: "done"; readonly result: WorkResult }
  | { readonly kind: "failed"; readonly error: JobError }
  | { readonly kind: "aborted" };

/** What a process says of one job. */
export type JobMessage = Extract<FromRunner, { readonly attemptId: string }>;

/** One job that the supervisor has taken on, until it has an outcome. */
export class Attempt {
  readonly job: RunnerJob;
  readonly outcome: Promise<RunOutcome>;
  /** Sent to a process: once. Run a second time within its attempt, it would say its text twice. */
  sent = false;
  /** Its model is in memory; before that, an abort has nothing to keep. */
  loaded = false;
  aborting = false;
  readonly #events: RunEvents;
  readonly #resolve: (outcome: RunOutcome) => void;

  constructor(job: RunnerJob, events: RunEvents) {
    const { promise, resolve } = withResolvers<RunOutcome>();
    this.job = job;
    this.outcome = promise;
    this.#events = events;
    this.#resolve = resolve;
  }

  /** Tells of it whoever gave the job. Returns the outcome if this is the end of it, which is not told yet; else null. */
  heard(message: JobMessage): RunOutcome | null {
    switch (message.type) {
      case "loaded":
        this.loaded = true;
        if (!this.aborting) this.#events.loaded(message);
        return null;
      case "measured":
        this.#events.measured(message);
        return null;
      case "text":
        if (message.text !== "" && !this.aborting) this.#events.text(message.text);
        return null;
      case "done":
        return { kind: "done", result: message.result };
      case "failed":
        return { kind: "failed", error: message.error };
      case "aborted":
        return { kind: "aborted" };
      default:
        return assertNever(message);
    }
  }

  settle(outcome: RunOutcome): void {
    this.#resolve(outcome);
  }
}
