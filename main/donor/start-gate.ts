/** Before the first connection the donor says "starting" instead of "offline" for at most this time, in ms. */
const longestStartMs = 3_000;

type StartGateDeps = {
  /** Whether the donor is connected. */
  readonly connected: () => boolean;
  /** Whether it is known if this device belongs to an organization. */
  readonly known: () => boolean;
  readonly begin: () => void;
};

/**
 * Delays the first decision until the connection and the membership are known, for a limited time. So the
 * donor does not show a state that changes at once.
 */
export class StartGate {
  readonly #deps: StartGateDeps;
  readonly #timer: NodeJS.Timeout;
  #everConnected = false;
  #begun = false;

  constructor(deps: StartGateDeps, withinMs = longestStartMs) {
    this.#deps = deps;
    this.#timer = setTimeout(() => this.#begin(), withinMs);
  }

  get everConnected(): boolean {
    return this.#everConnected;
  }

  /** Starts the loop if it can decide now. Returns whether it ran already; then the caller has to wake it. */
  update(): boolean {
    this.#everConnected ||= this.#deps.connected();
    if (this.#begun) return true;
    if (this.#everConnected && this.#deps.known()) this.#begin();
    return false;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #begin(): void {
    this.stop();
    if (this.#begun) return;
    this.#begun = true;
    this.#deps.begin();
  }
}
