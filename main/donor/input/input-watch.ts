import type { Known } from "../../../app/facts/facts.ts";
import type { IdleSensor } from "../../sensors/base/idle.ts";

/**
 * The polling interval while the donor works and the system does not report input. It lets a yield begin
 * within 200 ms.
 */
const pollMs = 100;

/**
 * Calls back at input: when the system reports it, or when the idle time drops. Polls only after `watch(true)`,
 * since a computer in use needs no watch. Its timer also shows how long the system makes a program wait.
 */
export class InputWatch {
  readonly #sensor: IdleSensor;
  readonly #onInput: (withinMs: number) => void;
  readonly #onTick: (lateMs: number) => void;
  #timer: NodeJS.Timeout | null = null;
  #unlisten: (() => void) | null = null;
  #last = 0;
  #tickedAt = 0;

  /**
   * @param onInput gets the longest time that may have passed since the input, in ms: 0 if the system reported it.
   * @param onTick gets how late the timer fired, in ms.
   */
  constructor(
    sensor: IdleSensor,
    onInput: (withinMs: number) => void,
    onTick: (lateMs: number) => void = () => undefined,
  ) {
    this.#sensor = sensor;
    this.#onInput = onInput;
    this.#onTick = onTick;
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
    this.#unlisten = this.#sensor.onInput?.(() => this.#onInput(0)) ?? null;
    this.#tickedAt = performance.now();
    this.#timer = setInterval(() => this.#tick(), pollMs);
  }

  #tick(): void {
    const now = performance.now();
    const passedMs = now - this.#tickedAt;
    this.#tickedAt = now;
    this.#onTick(Math.max(0, passedMs - pollMs));
    // The event source may be lost. Its replacement may have to be polled.
    if (this.#sensor.isPolled()) this.#look(passedMs);
  }

  #look(sinceLastMs: number): void {
    const idle = secondsOf(this.#sensor.sample());
    const input = idle < this.#last;
    this.#last = idle;
    if (input) this.#onInput(sinceLastMs);
  }
}

/** An unknown idle time counts as input, so that the donor decides again. */
function secondsOf(idle: Known<number>): number {
  return idle.known ? idle.value : -1;
}
