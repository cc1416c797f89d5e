const leastIntervalMs = 1_000;

/** Notifies of changes: important ones at once, frequent ones at most once a second. */
export class ChangeNotifier {
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
    const wait = this.#toldAt + leastIntervalMs - performance.now();
    if (wait <= 0) this.now();
    else this.#timer ??= setTimeout(() => this.now(), wait).unref();
  }

  /** Ends all notifications. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }
}
