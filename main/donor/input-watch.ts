import type { IdleSensor } from "../sensors/idle.ts";

/** How often input is looked for while the donor works, where nothing tells of it: so that yielding begins within 200 ms. */
const pollMs = 100;

/**
 * Calls back when somebody touched the computer: when the system says so, or when the idle time drops.
 * Looks only while `watch(true)`: on a computer in use nobody waits for input.
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

  watch(on: boolean): void {
    if (on === (this.#timer !== null)) return;
    if (this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
      this.#unlisten?.();
      this.#unlisten = null;
      return;
    }
    this.#last = this.#read();
    this.#unlisten = this.#sensor.onInput?.(this.#onInput) ?? null;
    this.#timer = setInterval(() => {
      // The source may be lost, and another one take its place, that has to be asked.
      if (this.#sensor.isPolled()) this.#look();
    }, pollMs);
  }

  #look(): void {
    const idle = this.#read();
    const input = idle < this.#last;
    this.#last = idle;
    if (input) this.#onInput();
  }

  /** An idle time that became unknown counts as input: the donor then has to look again. */
  #read(): number {
    const idle = this.#sensor.sample();
    return idle.known ? idle.value : -1;
  }
}
