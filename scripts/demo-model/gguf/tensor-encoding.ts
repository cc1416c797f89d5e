import { fromHalf, toHalf } from "./half.ts";

/**
 * The encoding of a tensor's numbers: its code in the file (ggml's `ggml_type`), the model's `general.file_type` if
 * most tensors use it (llama.cpp's `llama_ftype`), and its layout in blocks.
 */
export const tensorTypes = {
  f32: { code: 0, fileType: 0, blockLength: 1, blockBytes: 4 },
  f16: { code: 1, fileType: 1, blockLength: 1, blockBytes: 2 },
  q8_0: { code: 8, fileType: 7, blockLength: 32, blockBytes: 34 },
} as const;

export type TensorType = keyof typeof tensorTypes;

/** The stored size, in bytes, of `length` numbers. Rows must be whole blocks. */
export function encodedBytes(type: TensorType, length: number): number {
  const { blockLength, blockBytes } = tensorTypes[type];
  if (length % blockLength !== 0) throw new RangeError(`${type} stores multiples of ${blockLength} numbers`);
  return (length / blockLength) * blockBytes;
}

/** Rounds halves away from zero, like ggml's `roundf`. Math.round rounds −2.5 to −2. */
function roundAwayFromZero(value: number): number {
  return value < 0 ? -Math.round(-value) : Math.round(value);
}

/** Each block of 32 is a half-precision scale and 32 signed bytes: the largest magnitude becomes ±127. */
function encodeQ8(data: Float32Array): Buffer {
  const { blockLength, blockBytes } = tensorTypes.q8_0;
  const encoded = Buffer.alloc(encodedBytes("q8_0", data.length));
  for (let start = 0, at = 0; start < data.length; start += blockLength, at += blockBytes) {
    const block = data.subarray(start, start + blockLength);
    const scale = block.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0) / 127;
    const inverse = scale === 0 ? 0 : 1 / scale;
    encoded.writeUInt16LE(toHalf(scale), at);
    block.forEach((value, i) => {
      const quantized = Math.max(-128, Math.min(127, roundAwayFromZero(value * inverse)));
      encoded.writeInt8(quantized, at + 2 + i);
    });
  }
  return encoded;
}

function decodeQ8(bytes: Buffer, length: number): Float32Array {
  const { blockLength, blockBytes } = tensorTypes.q8_0;
  return Float32Array.from({ length }, (_, i) => {
    const at = Math.floor(i / blockLength) * blockBytes;
    return fromHalf(bytes.readUInt16LE(at)) * bytes.readInt8(at + 2 + (i % blockLength));
  });
}

/** The bytes in which a GGUF file stores these numbers. */
export function encodeTensor(data: Float32Array, type: TensorType): Buffer {
  switch (type) {
    case "f32":
      return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    case "f16":
      return Buffer.from(Uint16Array.from(data, toHalf).buffer);
    case "q8_0":
      return encodeQ8(data);
  }
}

/** The numbers in a tensor's bytes, with the precision of its type. */
export function decodeTensor(bytes: Buffer, type: TensorType, length: number): Float32Array {
  switch (type) {
    case "f32":
      return Float32Array.from({ length }, (_, i) => bytes.readFloatLE(i * 4));
    case "f16":
      return Float32Array.from({ length }, (_, i) => fromHalf(bytes.readUInt16LE(i * 2)));
    case "q8_0":
      return decodeQ8(bytes, length);
  }
}
