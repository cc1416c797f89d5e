import type { Value } from "convex/values";
import type { Key } from "./key.ts";
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

const successor = "\0";
const aboveAll = "\xff";
const signBit = 1n << 63n;
const allBits = (1n << 64n) - 1n;
const floatBits = new DataView(new ArrayBuffer(8));

/** Decodes a bound of a key range into its values, for people. Null when it is not such a bound. */
export function decodeBound(bound: Key): DecodedBound | null {
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
  const tag = reader.next();
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
      return reader.escaped().toString("utf8");
    case keyTags.bytes:
      return new Uint8Array(reader.escaped()).buffer;
    case keyTags.array:
      return readUntilEnd(reader, () => readValue(reader) as Value);
    case keyTags.object:
      return Object.fromEntries(
        readUntilEnd(reader, () => [readValue(reader) as string, readValue(reader) as Value]),
      );
    default:
      throw new RangeError(`${JSON.stringify(tag)} is no type's tag`);
  }
}

function readUntilEnd<T>(reader: KeyReader, read: () => T): T[] {
  const items: T[] = [];
  while (reader.peek() !== "\0") items.push(read());
  reader.next();
  return items;
}

function floatOf(ordered: bigint): number {
  floatBits.setBigUint64(0, ordered & signBit ? ordered ^ signBit : ordered ^ allBits);
  return floatBits.getFloat64(0);
}

/** Reads an encoded key. Throws RangeError for an invalid one. */
class KeyReader {
  readonly #key: Key;
  #at = 0;

  constructor(key: Key) {
    this.#key = key;
  }

  get left(): number {
    return this.#key.length - this.#at;
  }

  get atEnd(): boolean {
    return this.left === 0;
  }

  peek(): string {
    if (this.atEnd) throw new RangeError("The key ends early");
    return this.#key.charAt(this.#at);
  }

  next(): string {
    const character = this.peek();
    this.#at += 1;
    return character;
  }

  uint64(): bigint {
    let value = 0n;
    for (let count = 0; count < 8; count++) value = (value << 8n) | BigInt(this.next().charCodeAt(0));
    return value;
  }

  /** Bytes up to 0x00 0x00; inside them, 0x00 0xff means 0x00. */
  escaped(): Buffer {
    let characters = "";
    for (let character = this.next(); ; character = this.next()) {
      if (character === "\0") {
        const next = this.next();
        if (next === "\0") return Buffer.from(characters, "latin1");
        if (next !== "\xff") throw new RangeError("A zero byte is not escaped");
      }
      characters += character;
    }
  }
}
