import { ByteReader } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";
import type { Metadata } from "./metadata.ts";
import { decodeTensor, encodedBytes, encodeTensor, type TensorType, tensorTypes } from "./tensor-encoding.ts";

// GGUF v3: magic, version, counts, metadata, tensor table, padding, tensor data. Every tensor's data starts
// at a multiple of the alignment, counted from the start of the data. Source: ggml's docs/gguf.md.
const magic = "GGUF";
const version = 3;
const alignment = 32;
const maxMetadata = 1_000;
const maxTensors = 10_000;
const maxDimensions = 4;
const maxTensorLength = 2 ** 31;

export interface Tensor {
  readonly name: string;
  /** In ggml's order: the length of a row comes first. */
  readonly shape: readonly number[];
  readonly type: TensorType;
  /** Called once per tensor, in the file's order, so that a large model need not be in memory as a whole. */
  readonly load: () => Float32Array;
}

export interface GgufFile {
  readonly metadata: Metadata;
  readonly tensors: readonly Tensor[];
}

/** The number of values in a tensor of this shape. */
export function tensorLength(shape: readonly number[]): number {
  return shape.reduce((product, extent) => product * extent, 1);
}

/** The bytes of a GGUF file. Equal input gives equal bytes. */
export function encodeGguf({ metadata, tensors }: GgufFile): Buffer {
  const head = new ByteWriter();
  const data = new ByteWriter();
  head.bytes(Buffer.from(magic));
  head.u32(version);
  head.u64(tensors.length);
  head.u64(metadata.length);
  for (const [key, value] of metadata) {
    head.string(key);
    head.value(value);
  }
  for (const { name, shape, type, load } of tensors) {
    const numbers = load();
    if (numbers.length !== tensorLength(shape)) {
      throw new RangeError(`${name}: ${numbers.length} numbers for the shape ${shape.join("×")}`);
    }
    head.string(name);
    head.u32(shape.length);
    for (const extent of shape) head.u64(extent);
    head.u32(tensorTypes[type].code);
    head.u64(data.length);
    data.bytes(encodeTensor(numbers, type));
    data.pad(alignment);
  }
  head.pad(alignment);
  head.bytes(data.concat());
  return head.concat();
}

function tensorTypeOf(code: number): TensorType {
  const entry = Object.entries(tensorTypes).find(([, { code: known }]) => known === code);
  if (entry === undefined) throw new TypeError(`a tensor of the unknown type ${code}`);
  return entry[0] as TensorType;
}

function readTensorEntry(reader: ByteReader) {
  const name = reader.string();
  const dimensions = reader.u32();
  if (dimensions > maxDimensions) throw new RangeError(`${name}: ${dimensions} dimensions`);
  const shape = Array.from({ length: dimensions }, () => reader.count(maxTensorLength));
  const type = tensorTypeOf(reader.u32());
  const offset = reader.count(Number.MAX_SAFE_INTEGER);
  return { name, shape, type, offset };
}

/** Parses the GGUF files that `encodeGguf` writes. Throws for any other bytes. */
export function decodeGguf(bytes: Buffer): GgufFile {
  const reader = new ByteReader(bytes);
  if (reader.bytes(magic.length).toString("latin1") !== magic) throw new TypeError("not a GGUF file");
  const found = reader.u32();
  if (found !== version) throw new TypeError(`GGUF version ${found}, not ${version}`);
  const tensorCount = reader.count(maxTensors);
  const metadataCount = reader.count(maxMetadata);
  const metadata = Array.from({ length: metadataCount }, () => [reader.string(), reader.value()] as const);
  const entries = Array.from({ length: tensorCount }, () => readTensorEntry(reader));
  const dataStart = Math.ceil(reader.offset / alignment) * alignment;

  const tensors = entries.map(({ name, shape, type, offset }): Tensor => {
    const length = tensorLength(shape);
    const start = dataStart + offset;
    const end = start + encodedBytes(type, length);
    if (end > bytes.length) throw new RangeError(`${name} ends at ${end}, the file at ${bytes.length} bytes`);
    return { name, shape, type, load: () => decodeTensor(bytes.subarray(start, end), type, length) };
  });
  return { metadata, tensors };
}

/** The value of a metadata key, or undefined. */
export function metadataValue({ metadata }: GgufFile, key: string): unknown {
  const value = metadata.find(([name]) => name === key)?.[1];
  return value?.type === "array" ? value.values : value?.value;
}
