import type { Known } from "../../../app/facts/facts.ts";
import type { IdleSensor } from "../../sensors/base/idle.ts";

/**
 * The polling interval while the donor works and the system does not report input. It lets a yield begin
 * within 200 ms.
 */
const pollMs = 100;

/**
 * Calls back at input: when the system reports it, or when the idle time drops. Polls only after `watch(true)`,
 * since a computer in use needs no watch.
 */
export class InputWatch {
  readonly #sensor: IdleSensor;
  readonly #onInput: () => void;
  #timer: NodeJS.Timeout | null = null;
  #unlisten: (() => void) | null = null;
  #last = 0;

  constructor(sensor: IdleSensor, onInput: () => void) {
    this.#sensor = sensor;
    this.#onInput = onInput;
  }

  /** @param seen the idle time that the decision used. Input since then counts. */
  watch(on: boolean, seen = this.#sensor.sample()): void {
    if (on === (this.#timer !== null)) return;
    if (this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
      this.#unlisten?.();
      this.#unlisten = null;
      return;
    }
    this.#last = secondsOf(seen);
    this.#unlisten = this.#sensor.onInput?.(this.#onInput) ?? null;
    this.#timer = setInterval(() => {
      // The event source may be lost. Its replacement may have to be polled.
      if (this.#sensor.isPolled()) this.#look();
    }, pollMs);
  }

  #look(): void {
    const idle = secondsOf(this.#sensor.sample());
    const input = idle < this.#last;
    this.#last = idle;
    if (input) this.#onInput();
  }
}

/** An unknown idle time counts as input, so that the donor decides again. */
function secondsOf(idle: Known<number>): number {
  return idle.known ? idle.value : -1;
}
