type WorkTimersDeps = {
  readonly memoryTickMs: number;
  /** Called every `memoryTickMs` during work. */
  readonly checkMemory: () => void;
  /** The process has rested for the whole time. */
  readonly onRested: () => void;
};

/** Watches the memory of a process during its work, and measures the rest between work. */
export class WorkTimers {
  readonly #deps: WorkTimersDeps;
  #rest: NodeJS.Timeout | undefined;
  #memory: NodeJS.Timeout | undefined;

  constructor(deps: WorkTimersDeps) {
    this.#deps = deps;
  }

  /** There is work. True if there was none before. */
  work(): boolean {
    this.cancelRest();
    if (this.#memory !== undefined) return false;
    const { checkMemory, memoryTickMs } = this.#deps;
    this.#memory = setInterval(checkMemory, memoryTickMs);
    return true;
  }

  /** Call it when there is no work. The rest ends after `ms`, whatever was set before. */
  rest(ms: number): void {
    clearInterval(this.#memory);
    this.#memory = undefined;
    this.restIn(ms);
  }

  /** Changes the length of the rest, from now on. */
  restIn(ms: number): void {
    this.cancelRest();
    this.#rest = setTimeout(this.#deps.onRested, ms);
    this.#rest.unref();
  }

  cancelRest(): void {
    clearTimeout(this.#rest);
  }
}
