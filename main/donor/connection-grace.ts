import type { Connection } from "../worker/connection.ts";

/**
 * A short cut costs nobody a job: the donor counts as online for a while after the connection is lost, shorter
 * than the lease, so that what it holds is still its own when it returns.
 */
export class ConnectionGrace {
  readonly #graceMs: number;
  readonly #onExpired: () => void;
  #connected = false;
  #lostAt: number | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(onExpired: () => void, graceMs = 20_000) {
    this.#onExpired = onExpired;
    this.#graceMs = graceMs;
  }

  update({ connected }: Connection): void {
    if (connected === this.#connected) return;
    this.#connected = connected;
    clearTimeout(this.#timer);
    this.#lostAt = connected ? null : Date.now();
    if (!connected) this.#timer = setTimeout(this.#onExpired, this.#graceMs + 1);
  }

  fact(now: number): "online" | "offline" {
    if (this.#connected) return "online";
    return this.#lostAt !== null && now - this.#lostAt < this.#graceMs ? "online" : "offline";
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
