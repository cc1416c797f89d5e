/**
 * Passes text on until a stop string appears. No part of a stop string is ever shown: text that may turn out to be its
 * beginning is held back until that is certain.
 */
export class StopMatcher {
  readonly #stops: readonly string[];
  #held = "";
  #stoppedBy = "";
  #lengthFromStop = 0;

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== "");
  }

  /** The stop string that appeared; "" before. */
  get stoppedBy(): string {
    return this.#stoppedBy;
  }

  /** Characters that were pushed from the stop string's first one on. */
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

  /** The held text, once no more text follows. */
  flush(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }

  #firstStop(text: string): number | null {
    const found = this.#stops.map((stop) => text.indexOf(stop)).filter((index) => index >= 0);
    return found.length === 0 ? null : Math.min(...found);
  }

  /** The length of the longest end of `text` with which some stop string begins. */
  #possibleStart(text: string): number {
    const longest = Math.max(0, ...this.#stops.map((stop) => stop.length - 1));
    for (let length = Math.min(longest, text.length); length > 0; length--) {
      const end = text.slice(text.length - length);
      if (this.#stops.some((stop) => stop.startsWith(end))) return length;
    }
    return 0;
  }
}
