import { types } from "node:util";

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;

/** The bytes of a buffer or a view, even if it has properties of its own that say something else. Empty for another value. */
export function bytesOf(source: unknown): Uint8Array {
  if (types.isAnyArrayBuffer(source)) {
    const { prototype } = types.isSharedArrayBuffer(source) ? SharedArrayBuffer : ArrayBuffer;
    return Reflect.get(prototype, "byteLength", source) > 0 ? new Uint8Array(source) : new Uint8Array();
  }
  if (!ArrayBuffer.isView(source)) return new Uint8Array();
  const prototype = types.isDataView(source) ? DataView.prototype : typedArray;
  const read = (name: string): unknown => Reflect.get(prototype, name, source);
  const length = read("byteLength") as number;
  // It may have no buffer anymore.
  if (length === 0) return new Uint8Array();
  return new Uint8Array(read("buffer") as ArrayBuffer, read("byteOffset") as number, length);
}
