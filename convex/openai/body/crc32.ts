const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1)
    value = (value & 1) === 1 ? (value >>> 1) ^ 0xed_b8_83_20 : value >>> 1;
  return value;
});

/** The CRC-32 and the size of bytes, as gzip has them (RFC 1952). */
export class Crc32 {
  #crc = 0xff_ff_ff_ff;
  #bytes = 0;

  add(bytes: Uint8Array): void {
    let crc = this.#crc;
    for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0);
    this.#crc = crc;
    this.#bytes += bytes.byteLength;
  }

  /** Whether a footer of gzip, of 8 bytes, is that of the bytes. */
  isRight(footer: Uint8Array): boolean {
    if (footer.byteLength !== 8) return false;
    const view = new DataView(footer.buffer, footer.byteOffset);
    const isSame = view.getUint32(0, true) === (this.#crc ^ 0xff_ff_ff_ff) >>> 0;
    return isSame && view.getUint32(4, true) === this.#bytes % 2 ** 32;
  }
}
