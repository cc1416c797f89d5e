import type { IdleSensor } from "../sensors/idle.ts";

/** How often input is looked for while the donor works: so that yielding begins within 200 ms of it. */
const pollMs = 100;

/**
 * Calls back when the idle time drops, which means that somebody touched the computer. Runs only while
 * `watch(true)`: on a computer in use nobody waits for input.
 */
export class InputWatch {
  readonly #sensor: IdleSensor;
  readonly #onInput: () => void;
  #timer: NodeJS.Timeout | null = null;
  #last = 0;

  constructor(sensor: IdleSensor, onInput: () => void) {
    this.#sensor = sensor;
    this.#onInput = onInput;
  }

  watch(on: boolean): void {
    if (on === (this.#timer !== null)) return;
    if (this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
      return;
    }
    this.#last = this.#read();
    this.#timer = setInterval(() => {
      const idle = this.#read();
      const input = idle < this.#last;
      this.#last = idle;
      if (input) this.#onInput();
    }, pollMs);
  }

  /** An idle time that became unknown counts as input: the donor then has to look again. */
  #read(): number {
    const idle = this.#sensor.sample();
    return idle.known ? idle.value : -1;
  }
}
