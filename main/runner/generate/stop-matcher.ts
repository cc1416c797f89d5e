/**
 * Lets text through until a stop string appears, which is never shown, nor is a part of one: text that
 * may turn out to be the beginning of a stop string is held back until that is known.
 */
export class StopMatcher {
  readonly #stops: readonly string[];
  #held = "";
  #stoppedBy = "";
  #lengthFromStop = 0;

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== "");
  }

  /** The stop string that appeared; "" while none did. */
  get stoppedBy(): string {
    return this.#stoppedBy;
  }

  /** How much of the text that was given there is from the stop string's first character on. */
  get lengthFromStop(): number {
    return this.#lengthFromStop;
  }

  push(text: string): { readonly text: string; readonly stopped: boolean } {
    const seen = this.#held + text;
    const at = this.#firstStop(seen);
    if (at !== null) {
      this.#held = "";
      this.#lengthFromStop = seen.length - at;
      this.#stoppedBy = this.#stops.find((stop) => seen.startsWith(stop, at)) ?? "";
      return { text: seen.slice(0, at), stopped: true };
    }
    const keep = this.#possibleStart(seen);
    this.#held = seen.slice(seen.length - keep);
    return { text: seen.slice(0, seen.length - keep), stopped: false };
  }

  /** What was held back when the text ends by itself. */
  flush(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }

  #firstStop(text: string): number | null {
    const found = this.#stops.map((stop) => text.indexOf(stop)).filter((index) => index >= 0);
    return found.length === 0 ? null : Math.min(...found);
  }

  /** The length of the longest end of `text` that some stop string begins with. */
  #possibleStart(text: string): number {
    const longest = Math.max(0, ...this.#stops.map((stop) => stop.length - 1));
    for (let length = Math.min(longest, text.length); length > 0; length--) {
      const end = text.slice(text.length - length);
      if (this.#stops.some((stop) => stop.startsWith(end))) return length;
    }
    return 0;
  }
}
