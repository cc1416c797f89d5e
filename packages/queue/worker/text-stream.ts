import type { Acknowledged } from "./protocol.ts";

export type Append = (seq: number, text: string) => Promise<Acknowledged>;

/** At most three bytes a UTF-16 unit: a chunk has at most 64 KiB. */
const maxChunkChars = Math.floor((64 * 1024) / 3);

/** No more is kept for whoever may come late: as much as a result may have. */
const maxKeptChars = 512 * 1024;

export type TextStreamOptions = {
  readonly append: Append;
  readonly onFenced: () => void;
  readonly everyMs: number;
  readonly watched: boolean;
};

/**
 * An attempt's text, all of it from the start. While somebody reads along it goes out in chunks: at most one each
 * 250 ms, one call at a time, with growing numbers; to whoever comes after a time without, from the start again, for
 * nobody keeps the chunks of that time. A failed call is not repeated: the result carries the whole text, and the next
 * chunks wait for nothing.
 */
export class TextStream {
  readonly #options: TextStreamOptions;
  #text = "";
  /** How much of it went out to those who watch now. */
  #sent = 0;
  #seq = 0;
  #watched: boolean;
  #full = false;
  #inFlight = false;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #closed = false;

  constructor(options: TextStreamOptions) {
    this.#options = options;
    this.#watched = options.watched;
  }

  push(text: string): void {
    if (this.#closed) return;
    // What does not fit leaves no hole: nothing after it is kept either.
    this.#full ||= this.#text.length + text.length > maxKeptChars;
    if (this.#full) return;
    this.#text += text;
    this.#arm();
  }

  setWatched(watched: boolean): void {
    if (watched && !this.#watched) this.#sent = 0;
    this.#watched = watched;
    this.#arm();
  }

  /** Sends what is left to whoever reads along, without waiting for it, so that it goes out ahead of the result. */
  finish(): void {
    if (this.#closed) return;
    this.close();
    while (this.#watched && this.#anyLeft) void this.#send().catch(() => undefined);
  }

  /** Drops what is left. */
  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  get #anyLeft(): boolean {
    return this.#sent < this.#text.length;
  }

  #arm(): void {
    if (this.#timer !== null || this.#inFlight || !this.#anyLeft || this.#closed || !this.#watched) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (!this.#watched) return;
      this.#inFlight = true;
      this.#send()
        .catch(() => undefined)
        .finally(() => {
          this.#inFlight = false;
          this.#arm();
        });
    }, this.#options.everyMs);
  }

  async #send(): Promise<void> {
    const text = takeWhole(this.#text.slice(this.#sent, this.#sent + maxChunkChars + 1), maxChunkChars);
    this.#sent += text.length;
    const answer = await this.#options.append(this.#seq++, text);
    if (answer.kind === "fenced") this.#options.onFenced();
  }
}

/** The beginning of `text`, not longer than `max`, not ending within a character. */
function takeWhole(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}
