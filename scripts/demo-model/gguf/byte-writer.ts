import { type MetadataValue, type ScalarValue, valueTypeCodes } from "./metadata.ts";

/** Collects little-endian values into one buffer. */
export class ByteWriter {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  /** Bytes written so far. */
  get length(): number {
    return this.#length;
  }

  bytes(part: Uint8Array): void {
    this.#parts.push(part);
    this.#length += part.length;
  }

  u32(value: number): void {
    const part = Buffer.alloc(4);
    part.writeUInt32LE(value);
    this.bytes(part);
  }

  u64(value: number | bigint): void {
    const part = Buffer.alloc(8);
    part.writeBigUInt64LE(BigInt(value));
    this.bytes(part);
  }

  /** The length in bytes, then UTF-8. */
  string(value: string): void {
    const part = Buffer.from(value, "utf8");
    this.u64(part.length);
    this.bytes(part);
  }

  /** Zeros up to the next multiple of `alignment` bytes. */
  pad(alignment: number): void {
    const over = this.#length % alignment;
    if (over > 0) this.bytes(Buffer.alloc(alignment - over));
  }

  /** The code of the type, then the metadata value. */
  value(value: MetadataValue): void {
    this.u32(valueTypeCodes[value.type]);
    if (value.type !== "array") {
      this.#scalar(value);
      return;
    }
    this.u32(valueTypeCodes[value.of]);
    this.u64(value.values.length);
    // The union pairs `of` with the type of `values`, but a loop over it loses that pairing.
    for (const entry of value.values) this.#scalar({ type: value.of, value: entry } as ScalarValue);
  }

  #scalar(scalar: ScalarValue): void {
    const part = Buffer.alloc(4);
    switch (scalar.type) {
      case "u8":
        this.bytes(Uint8Array.of(scalar.value));
        return;
      case "bool":
        this.bytes(Uint8Array.of(scalar.value ? 1 : 0));
        return;
      case "u32":
        this.u32(scalar.value);
        return;
      case "i32":
        part.writeInt32LE(scalar.value);
        this.bytes(part);
        return;
      case "f32":
        part.writeFloatLE(scalar.value);
        this.bytes(part);
        return;
      case "u64":
        this.u64(scalar.value);
        return;
      case "string":
        this.string(scalar.value);
        return;
    }
  }

  concat(): Buffer {
    return Buffer.concat(this.#parts, this.#length);
  }
}
