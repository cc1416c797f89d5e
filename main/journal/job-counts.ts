import type { JournalEntry } from "./entry.ts";
import type { JobEvent } from "./journaled-handler.ts";

type JobsEntry = Extract<JournalEntry, { kind: "jobs" }>;

/**
 * After this many entries in a row, one entry a minute follows. So two days of the busiest donor fill only a
 * part of the journal.
 */
const mostInARow = 20;
const everyMs = 60_000;

const none = { begun: 0, succeeded: 0, failed: 0, letGo: 0, promptTokens: 0, completionTokens: 0 };
const countOf = { begun: "begun", succeeded: "succeeded", failed: "failed", "let-go": "letGo" } as const;

/**
 * Counts ends of jobs and sums them up while there are many. Otherwise a donor with one job a second would
 * overwrite its reasons within hours.
 */
export class JobCounts {
  readonly #write: (entry: JobsEntry) => void;
  readonly #now: () => number;
  #counts: Omit<JobsEntry, "kind" | "at"> = none;
  #pending = false;
  #spare = mostInARow;
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (entry: JobsEntry) => void, now: () => number) {
    this.#write = write;
    this.#now = now;
  }

  start(): void {
    this.#timer = setInterval(() => this.minute(), everyMs).unref();
  }

  add({ event, code, promptTokens = 0, completionTokens = 0 }: JobEvent): void {
    const counts = this.#counts;
    const name = countOf[event];
    const codes =
      code === undefined ? counts.codes : { ...counts.codes, [code]: (counts.codes?.[code] ?? 0) + 1 };
    this.#counts = {
      ...counts,
      [name]: counts[name] + 1,
      promptTokens: counts.promptTokens + promptTokens,
      completionTokens: counts.completionTokens + completionTokens,
      ...(codes === undefined ? {} : { codes }),
    };
    this.#pending = true;
    if (this.#spare > 0) this.flush();
  }

  /** Called once a minute. */
  minute(): void {
    this.#spare = Math.min(mostInARow, this.#spare + 1);
    if (this.#pending) this.flush();
  }

  flush(): void {
    if (!this.#pending) return;
    this.#write({ kind: "jobs", at: this.#now(), ...this.#counts });
    this.#counts = none;
    this.#pending = false;
    this.#spare = Math.max(0, this.#spare - 1);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.flush();
  }
}
