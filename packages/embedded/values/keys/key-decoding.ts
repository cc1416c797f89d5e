import type { Value } from "convex/values";
import { keyTags } from "./key-encoding.ts";

/** The meaning of a bound of a key range. */
export type DecodedBound = {
  readonly values: readonly (Value | undefined)[];
  /**
   * `prefix`: before all keys that begin with the values. `after`: after all of them. `exact`: just after the key
   * that equals the values.
   */
  readonly place: "prefix" | "exact" | "after";
};

const successor = 0x00;
const aboveAll = 0xff;
const signBit = 1n << 63n;
const allBits = (1n << 64n) - 1n;
const floatBits = new DataView(new ArrayBuffer(8));

/** Decodes a bound of a key range into its values, for people. Null when it is not such a bound. */
export function decodeBound(bound: Uint8Array): DecodedBound | null {
  const reader = new KeyReader(bound);
  const values: (Value | undefined)[] = [];
  try {
    while (!reader.atEnd) {
      const next = reader.peek();
      if (reader.left === 1 && (next === successor || next === aboveAll)) {
        return { values, place: next === successor ? "exact" : "after" };
      }
      values.push(readValue(reader));
    }
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
  return { values, place: "prefix" };
}

function readValue(reader: KeyReader): Value | undefined {
  const tag = reader.byte();
  switch (tag) {
    case keyTags.undefined:
      return undefined;
    case keyTags.null:
      return null;
    case keyTags.int64:
      return BigInt.asIntN(64, reader.uint64() ^ signBit);
    case keyTags.float64:
      return floatOf(reader.uint64());
    case keyTags.false:
      return false;
    case keyTags.true:
      return true;
    case keyTags.string:
      return new TextDecoder().decode(reader.escaped());
    case keyTags.bytes:
      return reader.escaped().slice().buffer;
    case keyTags.array:
      return readUntilEnd(reader, () => readValue(reader) as Value);
    case keyTags.object:
      return Object.fromEntries(
        readUntilEnd(reader, () => [readValue(reader) as string, readValue(reader) as Value]),
      );
    default:
      throw new RangeError(`${String(tag)} is no type's tag`);
  }
}

function readUntilEnd<T>(reader: KeyReader, read: () => T): T[] {
  const items: T[] = [];
  while (reader.peek() !== 0) items.push(read());
  reader.byte();
  return items;
}

function floatOf(ordered: bigint): number {
  floatBits.setBigUint64(0, ordered & signBit ? ordered ^ signBit : ordered ^ allBits);
  return floatBits.getFloat64(0);
}

/** Reads bytes written by ByteWriter. Throws RangeError for invalid bytes. */
class KeyReader {
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

  /** Bytes up to 0x00 0x00; inside them, 0x00 0xff means 0x00. */
  escaped(): Uint8Array {
    const bytes: number[] = [];
    for (let byte = this.byte(); ; byte = this.byte()) {
      if (byte === 0) {
        const next = this.byte();
        if (next === 0) return Uint8Array.from(bytes);
        if (next !== 0xff) throw new RangeError("A zero byte is not escaped");
      }
      bytes.push(byte);
    }
  }
}
