/** Sorts above every encoded key with the same prefix: no encoded value starts with 0xff. */
const aboveAll = 0xff;

export const emptyKey = new Uint8Array(0);

/** Compares like SQLite compares blobs: byte by byte, a prefix before longer keys. */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const difference = (left[i] as number) - (right[i] as number);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Whether a key is below an upper bound; null means unbounded. */
export function isBelow(key: Uint8Array, upper: Uint8Array | null): boolean {
  return upper === null || compareBytes(key, upper) < 0;
}

/** The higher of two upper bounds. */
export function higherBound(left: Uint8Array | null, right: Uint8Array | null): Uint8Array | null {
  if (left === null || right === null) return null;
  return compareBytes(left, right) < 0 ? right : left;
}

/** The smallest key that is greater than `key`. */
export function successor(key: Uint8Array): Uint8Array {
  return withByte(key, 0);
}

/** The smallest bound above all encoded keys that start with `prefix`. */
export function prefixEnd(prefix: Uint8Array): Uint8Array {
  return withByte(prefix, aboveAll);
}

function withByte(key: Uint8Array, byte: number): Uint8Array {
  const result = new Uint8Array(key.length + 1);
  result.set(key);
  result[key.length] = byte;
  return result;
}
