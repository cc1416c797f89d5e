import type { Backend, LoadReport, RunnerJob, Speed } from "../../app/contract/runner.ts";
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

  wasLoaded(report: LoadReport): void {
    this.loaded = true;
    if (!this.aborting) this.#events.loaded(report);
  }

  said(text: string): void {
    if (text !== "" && !this.aborting) this.#events.text(text);
  }

  wasMeasured(speed: Speed & { readonly backend: Backend }): void {
    this.#events.measured(speed);
  }

  settle(outcome: RunOutcome): void {
    this.#resolve(outcome);
  }
}
