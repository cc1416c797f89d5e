import { type Cipheriv, createCipheriv, randomBytes } from "node:crypto";

const keyBytes = 32;
const ivBytes = 16;
const chunkBytes = 4096;

/** Generates random numbers: the key stream of AES-256 in counter mode, from a seed. */
export class RandomStream {
  readonly #seed: Uint8Array | null;
  #cipher: Cipheriv | null = null;
  #chunk: Buffer = Buffer.alloc(0);
  /** Number of used bytes of the chunk. */
  #at = 0;

  /** Without a seed, gets one from the operating system when the first number is needed. */
  constructor(seed: Uint8Array | null = null) {
    this.#seed = seed;
  }

  bytes(count: number): Buffer {
    if (count <= this.#chunk.length - this.#at) return this.#take(count);
    const parts: Buffer[] = [];
    for (let missing = count; missing > 0;) {
      if (this.#at === this.#chunk.length) {
        this.#chunk = this.#keyStream();
        this.#at = 0;
      }
      const part = this.#take(missing);
      missing -= part.length;
      parts.push(part);
    }
    return Buffer.concat(parts);
  }

  /** Returns a number in [0, 1) with 53 random bits, as Math.random does. */
  number(): number {
    const bytes = this.bytes(8);
    return (bytes.readUInt32BE() * 2 ** 21 + (bytes.readUInt32BE(4) >>> 11)) / 2 ** 53;
  }

  /** A version 4 UUID. */
  uuid(): string {
    const bytes = this.bytes(16);
    bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
    const hex = bytes.toString("hex");
    const cuts = [0, 8, 12, 16, 20, 32];
    return cuts
      .slice(1)
      .map((end, index) => hex.slice(cuts[index], end))
      .join("-");
  }

  /** Takes `count` bytes, or as many as the chunk has left. */
  #take(count: number): Buffer {
    const taken = this.#chunk.subarray(this.#at, this.#at + count);
    this.#at += taken.length;
    return taken;
  }

  #keyStream(): Buffer {
    this.#cipher ??= createCipheriv(
      "aes-256-ctr",
      this.#seed ?? randomBytes(keyBytes),
      Buffer.alloc(ivBytes),
    );
    return this.#cipher.update(Buffer.alloc(chunkBytes));
  }
}
