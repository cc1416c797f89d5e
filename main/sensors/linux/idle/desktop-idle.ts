import { assertNever } from "../../../../app/assert-never.ts";
import { type Known, known } from "../../../../app/facts/facts.ts";
import type { IdleSensor } from "../../base/idle.ts";
import type { IdleEvents, IdlePort } from "./idle-port.ts";

/** A desktop that starts or restarts later is found within this time. */
const lookAgainMs = 30_000;

type State =
  | { readonly kind: "none" }
  | { readonly kind: "active" }
  /** In `performance.now()` time, so that setting the clock forward does not make anybody idle. */
  | { readonly kind: "quiet"; readonly since: number };

/** One attempt to use one port. Its events count until it is lost. */
class Attempt {
  isLost = false;
  close: (() => void) | null = null;
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/**
 * Idle time from the desktop's events, without wake-ups between them. Uses the first port that opens. While none is
 * open, uses the fallback.
 *
 * While somebody is active, the idle time is below two seconds and is reported as 0.
 */
export class DesktopIdle implements IdleSensor {
  readonly #ports: readonly IdlePort[];
  readonly #fallback: IdleSensor;
  readonly #listeners = new Set<() => void>();
  #state: State = { kind: "none" };
  #current: Attempt | null = null;
  #timer: NodeJS.Timeout | undefined;
  #running = false;
  #fallbackRuns = false;
  #changed = (): void => undefined;

  constructor(ports: readonly IdlePort[], fallback: IdleSensor) {
    this.#ports = ports;
    this.#fallback = fallback;
  }

  source(): string {
    return this.#current?.source ?? this.#fallback.source();
  }

  sample(): Known<number> {
    const state = this.#state;
    switch (state.kind) {
      case "none":
        return this.#fallback.sample();
      case "active":
        return known(0);
      case "quiet":
        return known(Math.max(0, (performance.now() - state.since) / 1_000));
      default:
        return assertNever(state);
    }
  }

  isPolled(): boolean {
    return this.#state.kind === "none" && this.#fallback.isPolled();
  }

  onInput(listener: () => void): () => void {
    this.#listeners.add(listener);
    const unlisten = this.#fallback.onInput?.(listener);
    return () => {
      this.#listeners.delete(listener);
      unlisten?.();
    };
  }

  start(changed: () => void): void {
    this.#running = true;
    this.#changed = changed;
    void this.#find();
  }

  stop(): void {
    this.#running = false;
    this.#changed = () => undefined;
    clearTimeout(this.#timer);
    this.#useFallback(false);
    this.#current?.close?.();
    this.#current = null;
    this.#state = { kind: "none" };
  }

  async #find(): Promise<void> {
    for (const port of this.#ports) {
      const attempt = new Attempt(port.source);
      attempt.close = await port.open(this.#events(attempt));
      if (this.#take(attempt)) return;
      attempt.isLost = true;
      attempt.close?.();
      if (!this.#running) return;
    }
    this.#useFallback(true);
    this.#findLater();
  }

  #take(attempt: Attempt): boolean {
    if (!this.#running || attempt.isLost || attempt.close === null) return false;
    this.#current = attempt;
    this.#useFallback(false);
    // The port opened without an idle time, so somebody may be active now.
    this.#go(this.#state.kind === "none" ? { kind: "active" } : this.#state);
    return true;
  }

  #events(attempt: Attempt): IdleEvents {
    const counts = (): boolean => this.#running && !attempt.isLost;
    return {
      quiet: (forMs) => {
        if (counts()) this.#go({ kind: "quiet", since: performance.now() - forMs });
      },
      input: () => {
        if (!counts()) return;
        this.#go({ kind: "active" });
        for (const listener of [...this.#listeners]) listener();
      },
      lost: () => {
        if (!counts()) return;
        attempt.isLost = true;
        if (this.#current !== attempt) return;
        this.#current = null;
        attempt.close?.();
        this.#useFallback(true);
        // The last idle time is no longer current.
        this.#go({ kind: "none" });
        this.#findLater();
      },
    };
  }

  #go(state: State): void {
    this.#state = state;
    this.#changed();
  }

  #findLater(): void {
    clearTimeout(this.#timer);
    if (this.#running) this.#timer = setTimeout(() => void this.#find(), lookAgainMs);
  }

  #useFallback(use: boolean): void {
    if (use === this.#fallbackRuns) return;
    this.#fallbackRuns = use;
    if (use) this.#fallback.start?.(() => this.#changed());
    else this.#fallback.stop?.();
  }
}
