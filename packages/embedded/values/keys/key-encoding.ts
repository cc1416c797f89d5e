import { CommitTsPlaceholder, type Value } from "convex/values";
import type { Key } from "./key.ts";

/** Type tags in Convex's order of types. 0x00 ends a sequence and 0xff bounds a prefix: neither may be a tag. */
export const keyTags = {
  undefined: "\x01",
  null: "\x02",
  int64: "\x03",
  float64: "\x04",
  false: "\x05",
  true: "\x06",
  string: "\x07",
  bytes: "\x08",
  array: "\x09",
  object: "\x0a",
} as const;
const end = "\0";

const maxInt64 = (1n << 63n) - 1n;
const signBit = 1n << 63n;
const highSignBit = 0x8000_0000;
const floatBits = new DataView(new ArrayBuffer(8));
/** Most texts in keys are ids and names, whose characters are their bytes. */
const isAscii = /^\p{ASCII}*$/u;

/**
 * Encodes a tuple of values so that the keys sort as Convex sorts the values. A tuple's encoding is a prefix of
 * the encodings of all tuples that begin with it. `undefined` means a missing field.
 */
export function encodeKey(values: readonly (Value | undefined)[]): Key {
  let key = "";
  for (const value of values) key += encoded(value);
  return key;
}

function encoded(value: Value | undefined): string {
  switch (typeof value) {
    case "undefined":
      return keyTags.undefined;
    case "bigint":
      return keyTags.int64 + uint64(BigInt.asUintN(64, value) ^ signBit);
    case "number":
      return keyTags.float64 + float(value);
    case "boolean":
      return value ? keyTags.true : keyTags.false;
    case "string":
      return keyTags.string + escapedText(value);
    default:
      if (value === null) return keyTags.null;
      if (Array.isArray(value)) return keyTags.array + value.map(encoded).join("") + end;
      if (value instanceof ArrayBuffer) return keyTags.bytes + escaped(Buffer.from(value));
      // Unknown before the commit; until then it sorts after all timestamps, as in Convex.
      if (value instanceof CommitTsPlaceholder) return encoded(maxInt64);
      return keyTags.object + fields(value) + end;
  }
}

function fields(value: { readonly [field: string]: Value | undefined }): string {
  return Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([field, inner]) => encoded(field) + encoded(inner))
    .join("");
}

function escapedText(text: string): string {
  const isPlain = isAscii.test(text) && !text.includes("\0");
  return isPlain ? `${text}\0\0` : escaped(Buffer.from(text, "utf8"));
}

/** Writes each 0x00 as 0x00 0xff and ends with 0x00 0x00, so that a prefix sorts before longer values. */
function escaped(bytes: Buffer): string {
  return `${bytes.toString("latin1").replaceAll("\0", "\0\xff")}\0\0`;
}

/** Eight bytes, most significant first. */
function uint64(value: bigint): string {
  return uint32(Number(value >> 32n)) + uint32(Number(value & 0xffff_ffffn));
}

function uint32(value: number): string {
  return String.fromCharCode(
    (value >>> 24) & 0xff,
    (value >>> 16) & 0xff,
    (value >>> 8) & 0xff,
    value & 0xff,
  );
}

/** IEEE 754's total order as an unsigned integer: for negatives flip all bits, for the rest only the sign. */
function float(value: number): string {
  floatBits.setFloat64(0, value);
  const high = floatBits.getUint32(0);
  const low = floatBits.getUint32(4);
  const isNegative = high >= highSignBit;
  return uint32(isNegative ? ~high : high ^ highSignBit) + uint32(isNegative ? ~low : low);
}
