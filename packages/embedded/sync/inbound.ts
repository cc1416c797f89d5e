/** What of one client may wait or run. With more, nothing is read from it until half is done. */
export const maxPendingBytes = 64 * 1024 * 1024;
export const maxPendingMessages = 2_000;

/** A socket whose reading can be stopped: the client's own buffers fill up instead of ours. */
export type Valve = { readonly pause: () => void; readonly resume: () => void };

/**
 * Counts what a client's messages hold, and reads no more from it while that is too much. A client that was cut
 * off instead would come back with all of it again, and get no further.
 */
export class Inbound {
  readonly #valve: Valve;
  #bytes = 0;
  #messages = 0;
  #paused = false;

  constructor(valve: Valve) {
    this.#valve = valve;
  }

  get heldBytes(): number {
    return this.#bytes;
  }

  /** What the client answers meanwhile is not heard. */
  get paused(): boolean {
    return this.#paused;
  }

  /** Counts a message until what is returned is called; calling that again does nothing. */
  hold(bytes: number): () => void {
    this.#bytes += bytes;
    this.#messages += 1;
    if (!this.#paused && (this.#bytes > maxPendingBytes || this.#messages > maxPendingMessages)) {
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
    this.#bytes -= bytes;
    this.#messages -= 1;
    if (!this.#paused) return;
    if (this.#bytes >= maxPendingBytes / 2 || this.#messages >= maxPendingMessages / 2) return;
    this.#paused = false;
    this.#valve.resume();
  }
}
