/** Above every encoded key that starts with the same bytes: no encoded value starts with 0xff. */
const aboveAll = 0xff;

export const emptyKey = new Uint8Array(0);

/** Compares as SQLite compares blobs: byte by byte, the shorter first where one is a prefix of the other. */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const difference = (left[i] as number) - (right[i] as number);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
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
