import { LIMITS } from "./limits.ts";
import { currentTurn, markRunning, takeRunningMs } from "./turn-clock.ts";

/** A function has run for longer than it may. */
export class FunctionTimeError extends Error {
  override readonly name = "FunctionTimeError";
}

/** `total`: all that it runs counts. `unbroken`: what it runs without letting others run. */
export type TimeLimit = "total" | "unbroken";

/**
 * The running time of one execution: what its own code takes, without its syscalls and without what others keep the
 * process busy with. Once it is spent, every check throws.
 */
export class ExecutionTime {
  readonly #limit: TimeLimit;
  #usedMs = 0;
  #turn = currentTurn();
  #error: FunctionTimeError | null = null;
  /** Told once, when the time is spent. */
  onSpent: ((error: FunctionTimeError) => void) | null = null;

  constructor(limit: TimeLimit) {
    this.#limit = limit;
  }

  /** Why it must not go on; null while it may. */
  get error(): FunctionTimeError | null {
    return this.#error;
  }

  /** Its code begins to run, or to run again after a syscall. */
  start(): void {
    markRunning(this);
  }

  /** Its code has called for a syscall, whose time does not count. */
  pause(): void {
    this.#charge();
  }

  /** Throws FunctionTimeError once the time is spent. */
  check(): void {
    if (this.#error === null) this.#count();
    if (this.#error !== null) throw this.#error;
  }

  /** Ends it: no more than `limitMs` were granted. */
  spend(limitMs: number): void {
    if (this.#error !== null) return;
    this.#error = new FunctionTimeError(
      `Function execution timed out (maximum duration: ${limitMs / 1_000}s)`,
    );
    this.onSpent?.(this.#error);
  }

  #count(): void {
    this.#charge();
    const limitMs = this.#limit === "total" ? LIMITS.userTimeMs : LIMITS.unbrokenMs;
    if (this.#usedMs >= limitMs) this.spend(limitMs);
  }

  #charge(): void {
    const ranMs = takeRunningMs(this);
    const isNewTurn = currentTurn() !== this.#turn;
    this.#turn = currentTurn();
    this.#usedMs = this.#limit === "unbroken" && isNewTurn ? ranMs : this.#usedMs + ranMs;
  }
}
