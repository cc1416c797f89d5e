/** Tells when JSON text that began with { or [ is whole, so that nobody waits for the blanks that may follow. */
export class JsonEnd {
  #depth = 0;
  #begun = false;
  #inText = false;
  #escaped = false;

  /** Of `text`, which goes on with what was given before: how much belongs to the value; null while it is not whole. */
  push(text: string): number | null {
    for (let at = 0; at < text.length; at += 1) {
      const sign = text[at];
      if (this.#escaped) this.#escaped = false;
      else if (this.#inText) {
        if (sign === "\\") this.#escaped = true;
        else if (sign === '"') this.#inText = false;
      } else if (sign === '"') this.#inText = true;
      else if (sign === "{" || sign === "[") {
        this.#depth += 1;
        this.#begun = true;
      } else if (sign === "}" || sign === "]") {
        this.#depth -= 1;
        if (this.#begun && this.#depth === 0) return at + 1;
      }
    }
    return null;
  }
}
