const firstBytes = 512;
/** Buffer bytes that a writer keeps between uses. */
const keptBytes = 64 * 1024;
const utf8 = new TextEncoder();

/** A reusable, growing buffer. `take` copies the written bytes out. */
export class ByteWriter {
  #buffer = new Uint8Array(firstBytes);
  #length = 0;

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  /** Eight bytes, most significant first. */
  uint64(value: bigint): void {
    this.uint32(Number(value >> 32n));
    this.uint32(Number(value & 0xffff_ffffn));
  }

  /** Four bytes, most significant first. */
  uint32(value: number): void {
    this.#reserve(4);
    const buffer = this.#buffer;
    buffer[this.#length++] = value >>> 24;
    buffer[this.#length++] = value >>> 16;
    buffer[this.#length++] = value >>> 8;
    buffer[this.#length++] = value;
  }

  /** Writes each 0x00 as 0x00 0xff and ends with 0x00 0x00, so that a prefix sorts before longer values. */
  escaped(bytes: Uint8Array): void {
    this.#reserve(bytes.length * 2 + 2);
    for (const byte of bytes) {
      this.#buffer[this.#length++] = byte;
      if (byte === 0) this.#buffer[this.#length++] = 0xff;
    }
    this.#end();
  }

  /** Like `escaped`, for a text's UTF-8. */
  escapedText(text: string): void {
    const start = this.#length;
    this.#reserve(text.length * 2 + 2);
    const buffer = this.#buffer;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit >= 0x80) {
        // Most texts in keys are ASCII ids and names; only others need a buffer.
        this.#length = start;
        this.escaped(utf8.encode(text));
        return;
      }
      buffer[this.#length++] = unit;
      if (unit === 0) buffer[this.#length++] = 0xff;
    }
    this.#end();
  }

  /** The bytes written since the last call. */
  take(): Uint8Array {
    const taken = this.#buffer.slice(0, this.#length);
    this.clear();
    return taken;
  }

  clear(): void {
    this.#length = 0;
    if (this.#buffer.length > keptBytes) this.#buffer = new Uint8Array(firstBytes);
  }

  #end(): void {
    this.#buffer[this.#length++] = 0;
    this.#buffer[this.#length++] = 0;
  }

  #reserve(extra: number): void {
    const needed = this.#length + extra;
    if (needed <= this.#buffer.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#buffer.length * 2));
    grown.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = grown;
  }
}
