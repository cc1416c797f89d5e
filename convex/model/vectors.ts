/**
 * The numbers of a vector as a device sends it: 32-bit floats, little-endian, in base64. Null for what is none, also
 * where a number is not finite.
 */
export function readVector(packed: string): readonly number[] | null {
  const bytes = decode(packed);
  if (bytes === null || bytes.length === 0 || bytes.length % 4 !== 0) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const vector = Array.from({ length: bytes.length / 4 }, (_, index) => view.getFloat32(4 * index, true));
  return vector.every(Number.isFinite) ? vector : null;
}

function decode(packed: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
