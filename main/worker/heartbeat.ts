import type { WorkerTimes } from "./times.ts";

/** Milliseconds until a heartbeat is due; 0 when it is. Whatever else was said counts as one. */
export function untilBeat(
  lastSaidAt: number,
  holding: boolean,
  now: number,
  times: Pick<WorkerTimes, "heartbeatHoldingMs" | "heartbeatIdleMs">,
): number {
  const every = holding ? times.heartbeatHoldingMs : times.heartbeatIdleMs;
  return Math.max(0, lastSaidAt + every - now);
}

export type HeartbeatParts = {
  readonly beat: () => Promise<unknown>;
  readonly lastSaidAt: () => number;
  readonly times: WorkerTimes;
  readonly onRefused: (error: unknown) => void;
};

/** Says "still here" whenever nothing else was said for long enough. */
export class Heartbeat {
  readonly #parts: HeartbeatParts;
  #holding = false;
  #timer: NodeJS.Timeout | null = null;
  #beating = false;

  constructor(parts: HeartbeatParts) {
    this.#parts = parts;
  }

  /** Goes on, faster while jobs are held. */
  run(holding: boolean): void {
    if (this.#timer !== null && holding === this.#holding) return;
    this.#holding = holding;
    this.#arm();
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
    return untilBeat(this.#parts.lastSaidAt(), this.#holding, Date.now(), this.#parts.times);
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
