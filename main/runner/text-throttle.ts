import type { AnswerPiece } from "../../app/contract/runner.ts";
import type { StreamItem } from "../../app/jobs/stream-item.ts";

/** Shorter than the interval at which text goes to the queue, and long enough to keep the donor's process idle. */
const intervalMs = 100;

/** Sends text in pieces: the first at once, and what follows within 100 ms as one piece. */
export class TextThrottle {
  readonly #send: (piece: AnswerPiece) => void;
  #held = "";
  #items: StreamItem[] = [];
  #tokens = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(send: (piece: AnswerPiece) => void) {
    this.#send = send;
  }

  push(text: string, items: readonly StreamItem[] = []): void {
    this.#held += text;
    for (const item of items) this.#add(item);
    this.#tokens += 1;
    if (this.#timer === null) this.#flush();
  }

  /** Sends the rest at once. Nothing may be pushed after it. */
  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#holds) this.#sendHeld();
  }

  get #holds(): boolean {
    return this.#held !== "" || this.#items.length > 0;
  }

  /** Parts of the same arguments become one. */
  #add(item: StreamItem): void {
    const last = this.#items.at(-1);
    if ("arguments" in item && last !== undefined && "arguments" in last)
      this.#items.splice(-1, 1, { arguments: last.arguments + item.arguments });
    else this.#items.push(item);
  }

  #flush(): void {
    this.#sendHeld();
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#holds) this.#flush();
    }, intervalMs);
  }

  #sendHeld(): void {
    this.#send({ text: this.#held, items: this.#items, tokens: this.#tokens });
    this.#held = "";
    this.#items = [];
    this.#tokens = 0;
  }
}
