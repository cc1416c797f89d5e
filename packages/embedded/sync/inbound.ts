/** Bytes of one verified client's messages that may wait or run. Above it, reading pauses until half is done. */
export const maxPendingBytes = 64 * 1024 * 1024;
export const maxPendingMessages = 2_000;

/** Pauses and resumes reading from a socket, so that the client's buffers fill instead of ours. */
type Valve = { readonly pause: () => void; readonly resume: () => void };

type InboundOptions = Valve & {
  /** Bytes of pending messages at which reading pauses; `maxPendingBytes` by default. It may change. */
  readonly maxBytes?: () => number;
  /** Called when the number of bytes has changed. */
  readonly onChanged?: () => void;
};

/**
 * Counts the bytes of a client's pending messages, and pauses reading when there are too many. Disconnecting
 * instead would not help: the client would resend everything.
 */
export class Inbound {
  readonly #valve: Valve;
  readonly #maxBytes: () => number;
  readonly #onChanged: () => void;
  #bytes = 0;
  #messages = 0;
  #isFull = false;
  /** Other reasons not to read. */
  #pauses = 0;
  #waiting: { readonly bytes: number; readonly resume: () => void } | null = null;

  constructor({ maxBytes = () => maxPendingBytes, onChanged = () => undefined, ...valve }: InboundOptions) {
    this.#valve = valve;
    this.#maxBytes = maxBytes;
    this.#onChanged = onChanged;
  }

  get heldBytes(): number {
    return this.#bytes;
  }

  /** While paused, pongs are not received either. */
  get paused(): boolean {
    return this.#isFull || this.#pauses > 0;
  }

  /** Counts a message until the returned function is called. Calling that again does nothing. */
  hold(bytes: number): () => void {
    this.#bytes += bytes;
    this.#messages += 1;
    if (this.#bytes > this.#maxBytes() || this.#messages > maxPendingMessages) {
      this.#switch(() => (this.#isFull = true));
    }
    this.#onChanged();
    return once(() => this.#release(bytes));
  }

  /** Pauses reading until the returned function is called. */
  pause(): () => void {
    this.#switch(() => (this.#pauses += 1));
    return once(() => this.#switch(() => (this.#pauses -= 1)));
  }

  /** Pauses reading until another `bytes` leave no more than `most` pending, or nothing else is. Then calls `resume`. */
  whenRoom(bytes: number, most: number, resume: () => void): void {
    const unpause = this.pause();
    this.#waiting = {
      bytes: most - bytes,
      resume: () => {
        resume();
        unpause();
      },
    };
  }

  #release(bytes: number): void {
    this.#bytes -= bytes;
    this.#messages -= 1;
    this.#onChanged();
    const waiting = this.#waiting;
    if (waiting !== null && (this.#messages === 0 || this.#bytes <= waiting.bytes)) {
      this.#waiting = null;
      waiting.resume();
    }
    if (this.#bytes > this.#maxBytes() / 2 || this.#messages >= maxPendingMessages / 2) return;
    this.#switch(() => (this.#isFull = false));
  }

  #switch(change: () => void): void {
    const before = this.paused;
    change();
    if (before === this.paused) return;
    if (before) this.#valve.resume();
    else this.#valve.pause();
  }
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
