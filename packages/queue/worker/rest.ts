/** A time during which nothing new is taken. Measured without the clock, which may be set meanwhile. */
export class Rest {
  readonly #onOver: () => void;
  #until = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onOver: () => void) {
    this.#onOver = onOver;
  }

  get on(): boolean {
    return performance.now() < this.#until;
  }

  /** @param ms from now; shortens nothing that lasts longer. */
  for(ms: number): void {
    const until = performance.now() + ms;
    if (until <= this.#until) return;
    this.#until = until;
    this.stop();
    this.#timer = setTimeout(this.#onOver, ms + 1);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
