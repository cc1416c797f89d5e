import { Gunzip } from "fflate/browser";
import { Crc32 } from "./crc32.ts";

/** Compressed bytes that are read at once. They become a thousand times as many at most. */
const sliceBytes = 1_024;
/**
 * Compressed bytes that may become nothing: a block that is not compressed has 64 KiB, and appears as a whole. The library reads
 * a header again with each slice until it has all of it, so an endless one would cost far more than its size.
 */
const mostSilentBytes = 128 * 1_024;
/** Behind the content of each member: its CRC-32 and its size, which the library does not check. */
const footerBytes = 8;

/** Decompresses a body, and stops beyond a bound. Convex has no DecompressionStream. */
export class Unzip {
  readonly #gunzip: Gunzip;
  readonly #maxBytes: number;
  #bytes = 0;
  #silentBytes = 0;
  #parts: Uint8Array[] = [];
  /** The last slices: a footer may begin in the one before that of its end. */
  #recent: Uint8Array[] = [];
  #compressedBytes = 0;
  #member = new Crc32();
  #isDamaged = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#gunzip = new Gunzip((part) => {
      this.#bytes += part.byteLength;
      this.#parts.push(part);
      if (this.#bytes <= maxBytes) this.#member.add(part);
    });
    this.#gunzip.onmember = (offset) => this.#endMember(offset);
  }

  /** Takes the next compressed bytes, and whether they were the last. Returns what they become. */
  push(bytes: Uint8Array | undefined, isLast: boolean): readonly Uint8Array[] | "too large" | "not gzip" {
    this.#parts = [];
    try {
      for (let at = 0; at < (bytes?.byteLength ?? 0); at += sliceBytes) {
        const before = this.#bytes;
        this.#pushSlice(bytes?.subarray(at, at + sliceBytes) ?? new Uint8Array());
        if (this.#bytes > this.#maxBytes) return "too large";
        this.#silentBytes = this.#bytes === before ? this.#silentBytes + sliceBytes : 0;
        if (this.#silentBytes > mostSilentBytes || this.#isDamaged) return "not gzip";
      }
      if (isLast) {
        this.#gunzip.push(new Uint8Array(), true);
        this.#endMember(this.#compressedBytes);
      }
    } catch {
      return "not gzip";
    }
    return this.#isDamaged ? "not gzip" : this.#parts;
  }

  #pushSlice(slice: Uint8Array): void {
    const before = this.#bytes;
    this.#recent.push(slice);
    this.#compressedBytes += slice.byteLength;
    this.#gunzip.push(slice);
    if (this.#bytes > before) this.#recent = this.#recent.slice(-2);
  }

  /** Compares a member's content with its footer. @param end the compressed bytes up to the footer's end. */
  #endMember(end: number): void {
    const footer = this.#before(this.#compressedBytes - end);
    if (footer === null || !this.#member.isRight(footer)) this.#isDamaged = true;
    this.#member = new Crc32();
  }

  /** The bytes of a footer that is followed by so many bytes. Null: there are not as many. */
  #before(following: number): Uint8Array | null {
    const footer = new Uint8Array(footerBytes);
    // From behind, so that the cost of a member does not depend on what is before it.
    let at = following + footerBytes;
    let filled = footerBytes;
    for (let index = this.#recent.length - 1; index >= 0 && filled > 0; index -= 1) {
      const slice = this.#recent[index] ?? new Uint8Array();
      const from = Math.max(0, slice.byteLength - at);
      const to = Math.max(from, slice.byteLength - (at - filled));
      footer.set(slice.subarray(from, to), filled - (to - from));
      filled -= to - from;
      at -= slice.byteLength;
    }
    return filled === 0 ? footer : null;
  }
}

/** A body that is not whole gzip, or that becomes too much. */
export class UnzipError extends Error {
  readonly mistake: "too large" | "not gzip";
  constructor(mistake: UnzipError["mistake"]) {
    super(mistake);
    this.mistake = mistake;
  }
}

/** Compressed bytes that are decompressed before the reader gets what they become: 4 MiB at most. */
const pieceBytes = 4 * sliceBytes;

/** A compressed body as it was before. It is decompressed while it is read. Its reader gets an `UnzipError` if that is impossible. */
export function unzippedBody(body: ReadableStream<Uint8Array>, maxBytes: number): ReadableStream<Uint8Array> {
  const unzip = new Unzip(maxBytes);
  const reader = body.getReader();
  /** Read, and not decompressed yet. */
  let rest = new Uint8Array();
  return new ReadableStream({
    async pull(controller) {
      for (let isOver = false, sent = false; !isOver && !sent;) {
        if (rest.byteLength === 0) {
          const { done, value } = await reader.read();
          isOver = done;
          if (value !== undefined) rest = value as Uint8Array<ArrayBuffer>;
        }
        const parts = unzip.push(rest.subarray(0, pieceBytes), isOver);
        rest = rest.subarray(pieceBytes);
        if (typeof parts === "string") {
          await reader.cancel();
          throw new UnzipError(parts);
        }
        for (const part of parts) {
          if (part.byteLength === 0) continue;
          controller.enqueue(part);
          sent = true;
        }
        if (isOver) controller.close();
      }
    },
    async cancel(reason) {
      await reader.cancel(reason);
    },
  });
}
