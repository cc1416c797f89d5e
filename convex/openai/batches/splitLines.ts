import type { Line } from "../../../app/batches/parse-line.ts";

const newline = 10;

/**
 * Splits a file into its lines while it is read. Keeps only the line that is not complete. Blank lines count, and are left out.
 * @param from where the first chunk begins: its offset in bytes, and how many lines are before it.
 */
export class LineSplitter {
  readonly #mostBytes: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  #at: number;
  #lines: number;

  constructor(mostBytes: number, from: { readonly bytes: number; readonly lines: number }) {
    this.#mostBytes = mostBytes;
    this.#at = from.bytes;
    this.#lines = from.lines;
  }

  /** The lines that end in the chunk. */
  *push(chunk: Uint8Array): Generator<Line> {
    let from = 0;
    for (let to = chunk.indexOf(newline); to !== -1; to = chunk.indexOf(newline, from)) {
      this.#keep(chunk.subarray(from, to));
      this.#at += 1;
      from = to + 1;
      yield* this.#take();
    }
    this.#keep(chunk.subarray(from));
  }

  /** The last line, if the file does not end with a line break. */
  *end(): Generator<Line> {
    if (this.#bytes > 0) yield* this.#take();
  }

  #keep(part: Uint8Array): void {
    this.#at += part.length;
    this.#bytes += part.length;
    if (this.#bytes <= this.#mostBytes) this.#parts.push(part);
    else this.#parts = [];
  }

  *#take(): Generator<Line> {
    const text = this.#bytes > this.#mostBytes ? null : decoded(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    this.#lines += 1;
    if (text?.trim() !== "") yield { number: this.#lines, text, end: this.#at };
  }
}

/** Null if the bytes are not UTF-8. */
function decoded(parts: readonly Uint8Array[]): string | null {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    return parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
  } catch {
    return null;
  }
}
