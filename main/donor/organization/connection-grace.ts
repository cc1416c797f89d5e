import type { Connection } from "@gleaner/queue/worker";

/**
 * Keeps the donor online for a while after the connection is lost, so that a short interruption costs no job.
 * The time is shorter than the lease, so its jobs are still its own when it reconnects.
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
    // Uses a timer, since somebody may set the clock meanwhile.
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
