import { errorName, type Log } from "./log.ts";
import { withRetries } from "./with-retries.ts";

export type BeginningParts = {
  readonly start: (attemptIds: string[]) => Promise<{ readonly fenced: readonly string[] }>;
  readonly isHeld: (attemptId: string) => boolean;
  /** What was handed over lasts. */
  readonly onLasting: () => void;
  readonly onFenced: (attemptIds: readonly string[]) => void;
  /** Of what was handed over a short job is done by then (ms): its end says that it was begun. */
  readonly startAfterMs: number;
  readonly log: Log;
};

/** Tells the queue what was begun of what it gave to be held ahead, so that nobody takes it: once for all that is begun together. */
export class Beginning {
  readonly #parts: BeginningParts;
  /** Given to this worker while it waited, and not begun yet. */
  readonly #handed = new Set<string>();
  /** Begun, and not said to be. */
  readonly #unsaid = new Set<string>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();

  constructor(parts: BeginningParts) {
    this.#parts = parts;
  }

  /** At work on something that was handed over, and that may be done before it is said to be begun. */
  get any(): boolean {
    return [...this.#unsaid].some(this.#parts.isHeld);
  }

  /** It came while the worker waited: it begins at once, and says so later. */
  handed(attemptId: string): void {
    this.#handed.add(attemptId);
  }

  begun(attemptIds: readonly string[]): void {
    const handed = attemptIds.filter((attemptId) => this.#handed.delete(attemptId));
    this.#say(attemptIds.filter((attemptId) => !handed.includes(attemptId)));
    if (handed.length === 0) return;
    for (const attemptId of handed) this.#unsaid.add(attemptId);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#say(handed);
      this.#parts.onLasting();
    }, this.#parts.startAfterMs);
    this.#timers.add(timer);
  }

  /** Before something is said that gives back what seems not to be begun. */
  sayNow(): void {
    this.stop();
    this.#say([...this.#unsaid]);
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #say(begun: readonly string[]): void {
    const { start, isHeld, onFenced, log } = this.#parts;
    for (const attemptId of begun) this.#unsaid.delete(attemptId);
    const attemptIds = begun.filter(isHeld);
    if (attemptIds.length === 0) return;
    withRetries(() => start(attemptIds)).then(
      ({ fenced }) => onFenced(fenced),
      (error: unknown) => log("warn", "start.refused", { error: errorName(error) }),
    );
  }
}
