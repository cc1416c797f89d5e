/** Bytes of one client's messages that may wait or run. Above it, reading pauses until half is done. */
export const maxPendingBytes = 64 * 1024 * 1024;
export const maxPendingMessages = 2_000;

/** Pauses and resumes reading from a socket, so that the client's buffers fill instead of ours. */
type Valve = { readonly pause: () => void; readonly resume: () => void };

/**
 * Counts the bytes of a client's pending messages, and pauses reading when there are too many. Disconnecting
 * instead would not help: the client would resend everything.
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

  /** While paused, pongs are not received either. */
  get paused(): boolean {
    return this.#paused;
  }

  /** Counts a message until the returned function is called. Calling that again does nothing. */
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
