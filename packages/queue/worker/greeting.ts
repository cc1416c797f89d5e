import { BackOff, type BackOffDelay } from "./back-off.ts";
import { errorName, type Log } from "./log.ts";
import type { Capabilities } from "./protocol.ts";
import { UnknownWorkerError } from "./refusal.ts";

export type GreetingParts = {
  readonly hello: (capabilities: Capabilities, startup: boolean) => Promise<{ readonly leaseMs: number }>;
  readonly log: Log;
  readonly onGreeted: (leaseMs: number) => void;
  /** A hello that was refused may be said again: greet then, with what is true by then. */
  readonly onAgain: () => void;
  readonly retryDelayMs?: BackOffDelay;
};

/**
 * Says hello on each connection and at each change of capabilities. What the queue refuses is said again, later each
 * time; but not to one that does not know this worker.
 */
export class Greeting {
  readonly #parts: GreetingParts;
  readonly #later: BackOff;
  #greeted: string | null = null;
  #greeting: string | null = null;
  #refused: string | null = null;
  #startup = true;

  constructor(parts: GreetingParts) {
    this.#parts = parts;
    this.#later = new BackOff(parts.retryDelayMs);
  }

  /** Whether the queue knows this connection and these capabilities. */
  isGreeted(generation: number, capabilities: Capabilities): boolean {
    return this.#greeted === keyOf(generation, capabilities);
  }

  /** Whether a goodbye is due: the queue has heard of this worker, or will have. */
  get everSaid(): boolean {
    return this.#greeted !== null || this.#greeting !== null;
  }

  /** Says hello unless that was said, is being said, or was refused just now. */
  greet(generation: number, capabilities: Capabilities): void {
    const key = keyOf(generation, capabilities);
    if (this.#greeted === key || this.#greeting === key || this.#refused === key) return;
    this.#greeting = key;
    this.#later.cancel();
    this.#parts
      .hello(capabilities, this.#startup)
      .then(
        ({ leaseMs }) => this.#taken(key, leaseMs),
        (error: unknown) => this.#wasRefused(key, error),
      )
      .finally(() => {
        if (this.#greeting === key) this.#greeting = null;
      });
  }

  /** The next `greet` says it anew: the key may be known by now. */
  again(): void {
    this.#refused = null;
  }

  stop(): void {
    this.#later.cancel();
  }

  #taken(key: string, leaseMs: number): void {
    this.#later.taken();
    this.#startup = false;
    this.#greeted = key;
    this.#refused = null;
    this.#parts.onGreeted(leaseMs);
  }

  #wasRefused(key: string, error: unknown): void {
    this.#parts.log("warn", "hello.refused", { error: errorName(error) });
    this.#refused = key;
    if (error instanceof UnknownWorkerError) return;
    this.#later.refused(() => {
      this.#refused = null;
      this.#parts.onAgain();
    });
  }
}

function keyOf(generation: number, capabilities: Capabilities): string {
  return JSON.stringify([generation, capabilities]);
}
