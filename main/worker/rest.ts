/** A time during which nothing new is taken. */
export class Rest {
  readonly #onOver: () => void;
  #until = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(onOver: () => void) {
    this.#onOver = onOver;
  }

  get on(): boolean {
    return Date.now() < this.#until;
  }

  /** @param at ms since the epoch; an earlier one than before shortens nothing. */
  until(at: number): void {
    if (at <= this.#until) return;
    this.#until = at;
    this.stop();
    this.#timer = setTimeout(this.#onOver, at - Date.now() + 1);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
