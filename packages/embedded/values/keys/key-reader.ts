/** Reads bytes written by ByteWriter. Throws RangeError for invalid bytes. */
export class KeyReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  get atEnd(): boolean {
    return this.left === 0;
  }

  peek(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new RangeError("The key ends early");
    return byte;
  }

  byte(): number {
    const byte = this.peek();
    this.#at += 1;
    return byte;
  }

  uint64(): bigint {
    let value = 0n;
    for (let count = 0; count < 8; count++) value = (value << 8n) | BigInt(this.byte());
    return value;
  }

  /** Bytes up to 0x00 0x00; inside them, 0x00 0xff stands for 0x00. */
  escaped(): Uint8Array {
    const bytes: number[] = [];
    for (let byte = this.byte(); ; byte = this.byte()) {
      if (byte === 0) {
        const next = this.byte();
        if (next === 0) return Uint8Array.from(bytes);
        if (next !== 0xff) throw new RangeError("A zero byte without its escape");
      }
      bytes.push(byte);
    }
  }
}
