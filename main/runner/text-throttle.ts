/** Shorter than the interval at which text goes to the queue, and long enough to keep the donor's process idle. */
const intervalMs = 100;

/** Sends text in pieces: the first at once, and what follows within 100 ms as one piece. It also tells of how many it is one. */
export class TextThrottle {
  readonly #send: (text: string, pushed: number) => void;
  #held = "";
  #pushed = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(send: (text: string, pushed: number) => void) {
    this.#send = send;
  }

  push(text: string): void {
    this.#held += text;
    this.#pushed += 1;
    if (this.#timer === null) this.#flush();
  }

  /** Sends the rest at once. Nothing may be pushed after it. */
  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#held !== "") this.#sendHeld();
  }

  #flush(): void {
    this.#sendHeld();
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#held !== "") this.#flush();
    }, intervalMs);
  }

  #sendHeld(): void {
    this.#send(this.#held, this.#pushed);
    this.#held = "";
    this.#pushed = 0;
  }
}
