import { CommitTsPlaceholder, type Value } from "convex/values";
import { ByteWriter } from "./byte-writer.ts";

/** Type tags in Convex's order of types. 0x00 ends a sequence and 0xff bounds a prefix: neither may be a tag. */
export const keyTags = {
  undefined: 0x01,
  null: 0x02,
  int64: 0x03,
  float64: 0x04,
  false: 0x05,
  true: 0x06,
  string: 0x07,
  bytes: 0x08,
  array: 0x09,
  object: 0x0a,
} as const;
const end = 0x00;

const maxInt64 = (1n << 63n) - 1n;
const signBit = 1n << 63n;
const highSignBit = 0x8000_0000;
const floatBits = new DataView(new ArrayBuffer(8));
const writer = new ByteWriter();

/**
 * Encodes a tuple of values so that the bytes sort as Convex sorts the values. A tuple's encoding is a prefix of
 * the encodings of all tuples that begin with it. `undefined` means a missing field.
 */
export function encodeKey(values: readonly (Value | undefined)[]): Uint8Array {
  // A failed encoding may have left bytes behind.
  writer.clear();
  for (const value of values) writeValue(writer, value);
  return writer.take();
}

function writeValue(writer: ByteWriter, value: Value | undefined): void {
  switch (typeof value) {
    case "undefined":
      writer.byte(keyTags.undefined);
      break;
    case "bigint":
      writer.byte(keyTags.int64);
      writer.uint64(BigInt.asUintN(64, value) ^ signBit);
      break;
    case "number":
      writer.byte(keyTags.float64);
      writeFloat(writer, value);
      break;
    case "boolean":
      writer.byte(value ? keyTags.true : keyTags.false);
      break;
    case "string":
      writer.byte(keyTags.string);
      writer.escapedText(value);
      break;
    default:
      if (value === null) writer.byte(keyTags.null);
      else if (Array.isArray(value)) writeArray(writer, value);
      else if (value instanceof ArrayBuffer) writeBytes(writer, value);
      // Unknown before the commit; until then it sorts after all timestamps, as in Convex.
      else if (value instanceof CommitTsPlaceholder) writeValue(writer, maxInt64);
      else writeObject(writer, value);
  }
}

function writeBytes(writer: ByteWriter, value: ArrayBuffer): void {
  writer.byte(keyTags.bytes);
  writer.escaped(new Uint8Array(value));
}

function writeArray(writer: ByteWriter, value: readonly Value[]): void {
  writer.byte(keyTags.array);
  for (const element of value) writeValue(writer, element);
  writer.byte(end);
}

function writeObject(writer: ByteWriter, value: { readonly [field: string]: Value | undefined }): void {
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  writer.byte(keyTags.object);
  for (const [field, fieldValue] of entries) {
    if (fieldValue === undefined) continue;
    writeValue(writer, field);
    writeValue(writer, fieldValue);
  }
  writer.byte(end);
}

/** IEEE 754's total order as an unsigned integer: for negatives flip all bits, for the rest only the sign. */
function writeFloat(writer: ByteWriter, value: number): void {
  floatBits.setFloat64(0, value);
  const high = floatBits.getUint32(0);
  const low = floatBits.getUint32(4);
  const isNegative = high >= highSignBit;
  writer.uint32(isNegative ? ~high : high ^ highSignBit);
  writer.uint32(isNegative ? ~low : low);
}
