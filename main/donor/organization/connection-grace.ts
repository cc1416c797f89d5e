import type { Connection } from "@gleaner/queue/worker";

/**
 * A short cut costs nobody a job: the donor counts as online for a while after the connection is lost, shorter
 * than the lease, so that what it holds is still its own when it returns.
 */
export class ConnectionGrace {
  readonly #graceMs: number;
  readonly #onExpired: () => void;
  #connected = false;
  #waiting = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(onExpired: () => void, graceMs = 20_000) {
    this.#onExpired = onExpired;
    this.#graceMs = graceMs;
  }

  update({ connected }: Connection): void {
    if (connected === this.#connected) return;
    this.#connected = connected;
    this.stop();
    if (connected) return;
    this.#waiting = true;
    // By a timer, not by the clock, which may be set meanwhile.
    this.#timer = setTimeout(() => {
      this.#waiting = false;
      this.#onExpired();
    }, this.#graceMs);
  }

  get fact(): "online" | "offline" {
    return this.#connected || this.#waiting ? "online" : "offline";
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#waiting = false;
  }
}
