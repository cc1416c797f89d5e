import { limits, times } from "../../app/jobs/limits.ts";
import type { Acknowledged } from "./backend.ts";

export type Append = (seq: number, text: string) => Promise<Acknowledged>;

/**
 * Appends text in chunks: at most one each 250 ms, one call at a time, numbered from 0. A failed call is
 * not repeated: the result carries the whole text, and the next chunks wait for nothing.
 */
export class ChunkAppender {
  readonly #append: Append;
  readonly #onFenced: () => void;
  readonly #everyMs: number;
  #buffer = "";
  #seq = 0;
  #inFlight = false;
  #timer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(append: Append, onFenced: () => void, everyMs: number = times.chunkEveryMs) {
    this.#append = append;
    this.#onFenced = onFenced;
    this.#everyMs = everyMs;
  }

  push(text: string): void {
    if (this.#closed) return;
    this.#buffer += text;
    this.#arm();
  }

  /** Sends what is left without waiting for it, so that it goes out ahead of the result. */
  finish(): void {
    if (this.#closed) return;
    this.close();
    while (this.#buffer !== "") void this.#send().catch(() => undefined);
  }

  /** Drops what is left. */
  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #arm(): void {
    if (this.#timer !== null || this.#inFlight || this.#buffer === "" || this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#inFlight = true;
      this.#send()
        .catch(() => undefined)
        .finally(() => {
          this.#inFlight = false;
          this.#arm();
        });
    }, this.#everyMs);
  }

  async #send(): Promise<void> {
    const text = takeWhole(this.#buffer, maxChunkChars);
    this.#buffer = this.#buffer.slice(text.length);
    const answer = await this.#append(this.#seq++, text);
    if (answer.kind === "fenced") this.#onFenced();
  }
}

/** At most three bytes a UTF-16 unit. */
const maxChunkChars = Math.floor(limits.chunkBytes / 3);

/** The beginning of `text`, not longer than `max`, not ending within a character. */
function takeWhole(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}
