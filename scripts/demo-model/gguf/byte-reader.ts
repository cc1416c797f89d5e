import { type MetadataValue, type ScalarValue, valueTypeCodes } from "./metadata.ts";

/** A larger length means a damaged file. Allocating it could take all memory. */
const maxStringBytes = 1 << 20;
const maxArrayEntries = 1 << 20;

type TypeName = keyof typeof valueTypeCodes;

/** Reads little-endian values in order. Every read past the end throws a RangeError. */
export class ByteReader {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Bytes read so far. */
  get offset(): number {
    return this.#offset;
  }

  #advance(length: number): number {
    const start = this.#offset;
    if (start + length > this.#bytes.length)
      throw new RangeError(`the file ends at ${this.#bytes.length} bytes`);
    this.#offset += length;
    return start;
  }

  bytes(length: number): Buffer {
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  u32(): number {
    return this.#bytes.readUInt32LE(this.#advance(4));
  }

  u64(): bigint {
    return this.#bytes.readBigUInt64LE(this.#advance(8));
  }

  /** A 64-bit count that may be at most `max`. */
  count(max: number): number {
    const value = this.u64();
    if (value > BigInt(max)) throw new RangeError(`a count of ${value}, but at most ${max} is allowed`);
    return Number(value);
  }

  string(): string {
    return this.bytes(this.count(maxStringBytes)).toString("utf8");
  }

  /** The code of the type, then the metadata value. */
  value(): MetadataValue {
    const type = this.#type();
    if (type !== "array") return this.#scalar(type);
    const of = this.#type();
    if (of === "array") throw new TypeError("an array of arrays");
    const values = Array.from({ length: this.count(maxArrayEntries) }, () => this.#scalar(of).value);
    return { type, of, values } as MetadataValue;
  }

  #type(): TypeName {
    const code = this.u32();
    const entry = Object.entries(valueTypeCodes).find(([, known]) => known === code);
    if (entry === undefined) throw new TypeError(`a metadata value of the unknown type ${code}`);
    return entry[0] as TypeName;
  }

  #scalar(type: Exclude<TypeName, "array">): ScalarValue {
    switch (type) {
      case "u8":
        return { type, value: this.#bytes.readUInt8(this.#advance(1)) };
      case "bool":
        return { type, value: this.#bytes.readUInt8(this.#advance(1)) !== 0 };
      case "u32":
        return { type, value: this.u32() };
      case "i32":
        return { type, value: this.#bytes.readInt32LE(this.#advance(4)) };
      case "f32":
        return { type, value: this.#bytes.readFloatLE(this.#advance(4)) };
      case "u64":
        return { type, value: this.u64() };
      case "string":
        return { type, value: this.string() };
    }
  }
}
