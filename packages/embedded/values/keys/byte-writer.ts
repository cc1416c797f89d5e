const firstBytes = 512;
/** What a writer holds on to between two uses. */
const keptBytes = 64 * 1024;
const utf8 = new TextEncoder();

/** A growing buffer, to be used again and again: what is written is copied out once. */
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

  /** The bytes with each 0x00 written as 0x00 0xff, then 0x00 0x00: a prefix sorts before what it starts. */
  escaped(bytes: Uint8Array): void {
    this.#reserve(bytes.length * 2 + 2);
    for (const byte of bytes) {
      this.#buffer[this.#length++] = byte;
      if (byte === 0) this.#buffer[this.#length++] = 0xff;
    }
    this.#end();
  }

  /** `escaped`, of a text's UTF-8. */
  escapedText(text: string): void {
    const start = this.#length;
    this.#reserve(text.length * 2 + 2);
    const buffer = this.#buffer;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit >= 0x80) {
        // Most texts in keys are ids and names: only for others is it worth a buffer.
        this.#length = start;
        this.escaped(utf8.encode(text));
        return;
      }
      buffer[this.#length++] = unit;
      if (unit === 0) buffer[this.#length++] = 0xff;
    }
    this.#end();
  }

  /** What was written since this was last called. */
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
