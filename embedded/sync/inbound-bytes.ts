/** Bytes of one client's requests that may wait or run. With more, nothing is read from it until half are done. */
export const MAX_PENDING_BYTES = 64 * 1024 * 1024;

/** A socket whose reading can be stopped: the client's own buffers fill up instead of ours. */
export type Valve = { readonly pause: () => void; readonly resume: () => void };

/** Counts what a client's requests hold, and reads no more from it while that is too much. */
export class InboundBytes {
  readonly #valve: Valve;
  #held = 0;
  #paused = false;

  constructor(valve: Valve) {
    this.#valve = valve;
  }

  get held(): number {
    return this.#held;
  }

  /** What the client answers meanwhile is not heard. */
  get paused(): boolean {
    return this.#paused;
  }

  /** Counts a message until what is returned is called; calling that again does nothing. */
  hold(bytes: number): () => void {
    this.#held += bytes;
    if (!this.#paused && this.#held > MAX_PENDING_BYTES) {
      this.#paused = true;
      this.#valve.pause();
    }
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#release(bytes);
    };
  }

  #release(bytes: number): void {
    this.#held -= bytes;
    if (!this.#paused || this.#held >= MAX_PENDING_BYTES / 2) return;
    this.#paused = false;
    this.#valve.resume();
  }
}
