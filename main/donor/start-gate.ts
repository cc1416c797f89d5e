/** Before the first connection the donor says "starting", not "offline", for so long. */
const firstConnectionMs = 3_000;

export type FirstLookParts = {
  /** Whether there is a connection now. */
  readonly connected: () => boolean;
  /** Whether it is settled if this device is in an organization. */
  readonly known: () => boolean;
  readonly begin: () => void;
};

/** The donor says "starting" until it can say something that is not overtaken at once; but not for long. */
export class FirstLook {
  readonly #parts: FirstLookParts;
  readonly #timer: NodeJS.Timeout;
  #everConnected = false;
  #begun = false;

  constructor(parts: FirstLookParts, withinMs = firstConnectionMs) {
    this.#parts = parts;
    this.#timer = setTimeout(() => this.#begin(), withinMs);
  }

  get everConnected(): boolean {
    return this.#everConnected;
  }

  /** Begins if it is time to. Returns whether it had begun before: then the loop is to be woken as ever. */
  consider(): boolean {
    this.#everConnected ||= this.#parts.connected();
    if (this.#begun) return true;
    if (this.#everConnected && this.#parts.known()) this.#begin();
    return false;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #begin(): void {
    this.stop();
    if (this.#begun) return;
    this.#begun = true;
    this.#parts.begin();
  }
}
