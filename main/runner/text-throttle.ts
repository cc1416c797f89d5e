/** More often than text is sent to the queue, and seldom enough that it keeps no second process busy. */
const everyMs = 100;

/** Passes text on in pieces: at once after a while of silence, else together with what follows within 100 ms. */
export class TextOutlet {
  readonly #send: (text: string) => void;
  #held = "";
  #timer: NodeJS.Timeout | null = null;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  push(text: string): void {
    this.#held += text;
    if (this.#timer === null) this.#pass();
  }

  /** What is held back is passed on now: nothing follows. */
  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#held !== "") this.#send(this.#held);
    this.#held = "";
  }

  #pass(): void {
    this.#send(this.#held);
    this.#held = "";
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#held !== "") this.#pass();
    }, everyMs);
  }
}
