/**
 * An encoded index key: a string with one character for each byte, so every character is below U+0100. Strings are
 * compared and made several times faster than byte arrays, and they compare like bytes.
 */
export type Key = string;

export const emptyKey: Key = "";

/** Sorts above every encoded key with the same prefix: no encoded value starts with this byte. */
const aboveAll = "\xff";

/** Compares like SQLite compares blobs: byte by byte, a prefix before longer keys. */
export function compareKeys(left: Key, right: Key): number {
  return left === right ? 0 : left < right ? -1 : 1;
}

/** Whether a key is below an upper bound; null means unbounded. */
export function isBelow(key: Key, upper: Key | null): boolean {
  return upper === null || key < upper;
}

/** The higher of two upper bounds. */
export function higherBound(left: Key | null, right: Key | null): Key | null {
  if (left === null || right === null) return null;
  return left < right ? right : left;
}

/** The smallest key that is greater than `key`. */
export function successor(key: Key): Key {
  return `${key}\0`;
}

/** The smallest bound above all encoded keys that start with `prefix`. */
export function prefixEnd(prefix: Key): Key {
  return prefix + aboveAll;
}

export function keyToBytes(key: Key): Uint8Array {
  return Buffer.from(key, "latin1");
}

export function keyFromBytes({ buffer, byteOffset, length }: Uint8Array): Key {
  return Buffer.from(buffer, byteOffset, length).toString("latin1");
}
