/** Shorter than the interval at which text goes to the queue, and long enough to keep the donor's process idle. */
const intervalMs = 100;

/** Sends text in pieces: the first at once, and what follows within 100 ms as one piece. */
export class TextThrottle {
  readonly #send: (text: string) => void;
  #held = "";
  #timer: NodeJS.Timeout | null = null;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  push(text: string): void {
    this.#held += text;
    if (this.#timer === null) this.#flush();
  }

  /** Sends the rest at once. Nothing may be pushed after it. */
  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#held !== "") this.#send(this.#held);
    this.#held = "";
  }

  #flush(): void {
    this.#send(this.#held);
    this.#held = "";
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#held !== "") this.#flush();
    }, intervalMs);
  }
}
