import { assertNever } from "../../app/assert-never.ts";
import type {
  FromRunner,
  LoadReport,
  RequestStep,
  RunEvents,
  RunnerJob,
  RunOutcome,
} from "../../app/contract/runner.ts";

/** A message from the runner about one job. */
export type JobMessage = Extract<FromRunner, { readonly attemptId: string }>;

/** How an attempt ends here. `released`: its process ended for another reason than this job, which may run again at once. */
export type AttemptOutcome = RunOutcome | { readonly kind: "released" };

/** One job that the supervisor has accepted, until its outcome is known. */
export class Attempt {
  readonly job: RunnerJob;
  /** The job's id in the queue, which its next attempt shares. */
  readonly jobId: string;
  /** It, or another one, ended its process before. So it runs alone. */
  readonly suspect: boolean;
  readonly outcome: Promise<AttemptOutcome>;
  /** Sent to a process. A job is sent only once: a second run would repeat its text. */
  sent = false;
  /** How its model was loaded. Null until its turn has come. */
  load: LoadReport | null = null;
  /** The step at which it could block or crash the process. Null between such steps. */
  step: RequestStep | null = null;
  aborting = false;
  /** Resolves when no process has it anymore. Its outcome may be known earlier. */
  readonly ended: Promise<undefined>;
  /** Tells the outcome. Only the first call counts. */
  readonly settle: (outcome: AttemptOutcome) => void;
  readonly #resolveEnded: (value: undefined) => void;
  readonly #events: RunEvents;

  constructor(job: RunnerJob, jobId: string, suspect: boolean, events: RunEvents) {
    const { promise, resolve } = Promise.withResolvers<AttemptOutcome>();
    this.job = job;
    this.jobId = jobId;
    this.suspect = suspect;
    this.outcome = promise;
    this.settle = resolve;
    const ended = Promise.withResolvers<undefined>();
    this.ended = ended.promise;
    this.#resolveEnded = ended.resolve;
    this.#events = events;
  }

  end(outcome: AttemptOutcome): void {
    this.settle(outcome);
    this.#resolveEnded(undefined);
  }

  get loaded(): boolean {
    return this.load !== null;
  }

  #receiveText({ text, items = [], tokens = 0 }: Extract<JobMessage, { readonly type: "text" }>): void {
    // The runner sends empty texts to show that it is alive.
    if ((text !== "" || items.length > 0) && !this.aborting) this.#events.text({ text, items, tokens });
  }

  /** Passes the message to the listeners. Returns the outcome if the message tells it; it is not settled yet. */
  receive(message: JobMessage): RunOutcome | null {
    switch (message.type) {
      case "loaded":
        this.load = message.report;
        if (!this.aborting) this.#events.loaded(message.report);
        return null;
      case "measured":
        this.#events.measured(message.speed);
        return null;
      case "text":
        this.#receiveText(message);
        return null;
      case "step":
        this.step = message.step;
        return null;
      case "ended":
        return message.outcome;
      default:
        return assertNever(message);
    }
  }
}
