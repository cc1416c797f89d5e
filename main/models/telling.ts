const seldomMs = 1_000;

/** Tells that there is something new: at once what matters, and each second at most what comes all the time. */
export class Telling {
  readonly #tell: () => void;
  #toldAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(tell: () => void) {
    this.#tell = tell;
  }

  now(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#toldAt = performance.now();
    if (!this.#stopped) this.#tell();
  }

  soon(): void {
    const wait = this.#toldAt + seldomMs - performance.now();
    if (wait <= 0) this.now();
    else this.#timer ??= setTimeout(() => this.now(), wait).unref();
  }

  /** Nothing is told from now on. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }
}
