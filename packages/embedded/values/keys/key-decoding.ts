import type { Value } from "convex/values";
import { TAG } from "./key-encoding.ts";
import { KeyReader } from "./key-reader.ts";

/** What a bound of a range of encoded keys stands for. */
export type DecodedBound = {
  readonly values: readonly (Value | undefined)[];
  /**
   * `prefix`: before all keys that begin with the values; `after`: behind all of them; `exact`: just behind the key
   * that is these values and nothing more.
   */
  readonly place: "prefix" | "exact" | "after";
};

const SUCCESSOR = 0x00;
const ABOVE_ALL = 0xff;
const SIGN_BIT = 1n << 63n;
const ALL_BITS = (1n << 64n) - 1n;
const floatBits = new DataView(new ArrayBuffer(8));

/** Reads a bound of a key range back into the values that it was made of, for people. Null: not such a bound. */
export function decodeBound(bound: Uint8Array): DecodedBound | null {
  const reader = new KeyReader(bound);
  const values: (Value | undefined)[] = [];
  try {
    while (!reader.atEnd) {
      const next = reader.peek();
      if (reader.left === 1 && (next === SUCCESSOR || next === ABOVE_ALL)) {
        return { values, place: next === SUCCESSOR ? "exact" : "after" };
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
    case TAG.undefined:
      return undefined;
    case TAG.null:
      return null;
    case TAG.int64:
      return BigInt.asIntN(64, reader.uint64() ^ SIGN_BIT);
    case TAG.float64:
      return floatOf(reader.uint64());
    case TAG.false:
      return false;
    case TAG.true:
      return true;
    case TAG.string:
      return new TextDecoder().decode(reader.escaped());
    case TAG.bytes:
      return reader.escaped().slice().buffer;
    case TAG.array:
      return readUntilEnd(reader, () => readValue(reader) as Value);
    case TAG.object:
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
  floatBits.setBigUint64(0, ordered & SIGN_BIT ? ordered ^ SIGN_BIT : ordered ^ ALL_BITS);
  return floatBits.getFloat64(0);
}
