import type { Known } from "../../../app/facts/facts.ts";
import type { IdleSensor } from "../../sensors/idle.ts";

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

  /** @param seen the idle time by which it was decided: what came since then is input. */
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
      // The source may be lost, and another one take its place, that has to be asked.
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

/** An idle time that became unknown counts as input: the donor then has to look again. */
function secondsOf(idle: Known<number>): number {
  return idle.known ? idle.value : -1;
}
