import type { WorkerTimes } from "./times.ts";

type Cadence = Pick<WorkerTimes, "heartbeatHoldingMs" | "heartbeatIdleMs">;

/** As often as the times say, and oftener where the queue's lease is short: twice within it, and then some. */
export function cadenceFor(leaseMs: number, times: Cadence): Cadence {
  const heartbeatHoldingMs = Math.min(times.heartbeatHoldingMs, (leaseMs * 3) / 8);
  return { ...times, heartbeatHoldingMs };
}

/** Milliseconds until a heartbeat is due; 0 when it is. Whatever else was said counts as one. */
export function untilBeat(lastSaidAt: number, holding: boolean, now: number, times: Cadence): number {
  const every = holding ? times.heartbeatHoldingMs : times.heartbeatIdleMs;
  return Math.max(0, lastSaidAt + every - now);
}

export type HeartbeatParts = {
  readonly beat: () => Promise<unknown>;
  /** Of `performance.now()`: a clock that is set back must not keep a worker silent. */
  readonly lastSaidAt: () => number;
  readonly cadence: Cadence;
  readonly onRefused: (error: unknown) => void;
};

/** Says "still here" whenever nothing else was said for long enough. */
export class Heartbeat {
  readonly #parts: HeartbeatParts;
  #cadence: Cadence;
  #holding = false;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #beating = false;

  constructor(parts: HeartbeatParts) {
    this.#parts = parts;
    this.#cadence = parts.cadence;
  }

  /** Goes on, faster while jobs are held. */
  run(holding: boolean): void {
    if (this.#timer !== null && holding === this.#holding) return;
    this.#holding = holding;
    this.#arm();
  }

  /** @param leaseMs how long the queue lets a worker that holds jobs be silent. */
  setLease(leaseMs: number): void {
    this.#cadence = cadenceFor(leaseMs, this.#parts.cadence);
    if (this.#timer !== null) this.#arm();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #arm(): void {
    this.stop();
    this.#timer = setTimeout(() => this.#look(), Math.max(1, this.#untilBeat()));
  }

  #look(): void {
    // While there is no connection calls wait: one waiting heartbeat says as much as ten.
    if (!this.#beating && this.#untilBeat() === 0) this.#beat();
    this.#arm();
  }

  #untilBeat(): number {
    return untilBeat(this.#parts.lastSaidAt(), this.#holding, performance.now(), this.#cadence);
  }

  #beat(): void {
    this.#beating = true;
    this.#parts
      .beat()
      .catch(this.#parts.onRefused)
      .finally(() => {
        this.#beating = false;
      });
  }
}
