import { assertNever } from "../../app/assert-never.ts";
import type { FromRunner, RunEvents, RunnerJob, RunOutcome } from "../../app/contract/runner.ts";

/** A message from the runner about one job. */
export type JobMessage = Extract<FromRunner, { readonly attemptId: string }>;

/** One job that the supervisor has accepted, until its outcome is known. */
export class Attempt {
  readonly job: RunnerJob;
  readonly outcome: Promise<RunOutcome>;
  /** Sent to a process. A job is sent only once: a second run would repeat its text. */
  sent = false;
  /** Its model is in memory. Before that, an abort has nothing to keep. */
  loaded = false;
  aborting = false;
  readonly settle: (outcome: RunOutcome) => void;
  readonly #events: RunEvents;

  constructor(job: RunnerJob, events: RunEvents) {
    const { promise, resolve } = Promise.withResolvers<RunOutcome>();
    this.job = job;
    this.outcome = promise;
    this.settle = resolve;
    this.#events = events;
  }

  /** Passes the message to the listeners. Returns the outcome if the message tells it; it is not settled yet. */
  receive(message: JobMessage): RunOutcome | null {
    switch (message.type) {
      case "loaded":
        this.loaded = true;
        if (!this.aborting) this.#events.loaded(message.report);
        return null;
      case "measured":
        this.#events.measured(message.speed);
        return null;
      case "text":
        if (message.text !== "" && !this.aborting) this.#events.text(message.text);
        return null;
      case "ended":
        return message.outcome;
      default:
        return assertNever(message);
    }
  }
}
