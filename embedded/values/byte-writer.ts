/** A growing buffer: keys are built once and copied out once. */
export class ByteWriter {
  #buffer = new Uint8Array(96);
  #length = 0;

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  /** Eight bytes, most significant first. */
  uint64(value: bigint): void {
    this.#reserve(8);
    new DataView(this.#buffer.buffer).setBigUint64(this.#length, value);
    this.#length += 8;
  }

  /** The bytes with each 0x00 written as 0x00 0xff, then 0x00 0x00: a prefix sorts before what it starts. */
  escaped(bytes: Uint8Array): void {
    this.#reserve(bytes.length * 2 + 2);
    for (const byte of bytes) {
      this.#buffer[this.#length++] = byte;
      if (byte === 0) this.#buffer[this.#length++] = 0xff;
    }
    this.#buffer[this.#length++] = 0;
    this.#buffer[this.#length++] = 0;
  }

  take(): Uint8Array {
    return this.#buffer.slice(0, this.#length);
  }

  #reserve(extra: number): void {
    const needed = this.#length + extra;
    if (needed <= this.#buffer.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#buffer.length * 2));
    grown.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = grown;
  }
}
