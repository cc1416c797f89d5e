import { Gunzip } from "fflate/browser";

/** Compressed bytes that are read at once. They become a thousand times as many at most. */
const sliceBytes = 1_024;
/**
 * Compressed bytes that may become nothing: a block that is not compressed has 64 KiB, and appears as a whole. The library reads
 * a header again with each slice until it has all of it, so an endless one would cost far more than its size.
 */
const mostSilentBytes = 128 * 1_024;

/** Decompresses a body, and stops beyond a bound. Convex has no DecompressionStream. */
export class Unzip {
  readonly #gunzip: Gunzip;
  readonly #maxBytes: number;
  #bytes = 0;
  #silentBytes = 0;
  #parts: Uint8Array[] = [];

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#gunzip = new Gunzip((part) => {
      this.#bytes += part.byteLength;
      this.#parts.push(part);
    });
  }

  /** Takes the next compressed bytes, and whether they were the last. Returns what they become. */
  push(bytes: Uint8Array | undefined, isLast: boolean): readonly Uint8Array[] | "too large" | "not gzip" {
    this.#parts = [];
    try {
      for (let at = 0; at < (bytes?.byteLength ?? 0); at += sliceBytes) {
        const before = this.#bytes;
        this.#gunzip.push(bytes?.subarray(at, at + sliceBytes) ?? new Uint8Array());
        if (this.#bytes > this.#maxBytes) return "too large";
        this.#silentBytes = this.#bytes === before ? this.#silentBytes + sliceBytes : 0;
        if (this.#silentBytes > mostSilentBytes) return "not gzip";
      }
      if (isLast) this.#gunzip.push(new Uint8Array(), true);
    } catch {
      return "not gzip";
    }
    return this.#parts;
  }
}
