/** The facts about a model in the metadata of its GGUF file. */
export type GgufFacts = {
  readonly architecture: string;
  readonly name: string | null;
  readonly license: string | null;
  readonly contextTokens: number;
  /** The chat template in the file; null without one. */
  readonly template: string | null;
  /** Memory for each token of the context: keys and values of all layers in 16 bits. */
  readonly contextBytesPerToken: number;
};

export type GgufHeader =
  | { readonly kind: "read"; readonly facts: GgufFacts }
  /** The metadata goes on after these bytes. */
  | { readonly kind: "short" }
  | { readonly kind: "wrong"; readonly why: string };

// GGUF: magic, version, counts, metadata; all numbers little-endian. Source: ggml's docs/gguf.md.
const magic = 0x46554747;
const stringType = 8;
const arrayType = 9;
/** The bytes of each type of a fixed size, by its code. */
const sizes: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};
const bytesPerNumber = 2;

/** More means a damaged or hostile file. Real ones have some fifty entries, and vocabularies of some 300,000 tokens. */
const most = { entries: 4_096, arrayEntries: 4_000_000, textBytes: 2 ** 20, keptNumbers: 1_024 } as const;

type Numbers = readonly number[];
type Value = string | number | Numbers | null;

class Short extends Error {}
class Wrong extends Error {}

/** How many bytes to read, one after the other, until the metadata is complete. Vocabularies take up to some 20 MiB. */
export const ggufHeadBytes = [2 ** 18, 2 ** 22, 2 ** 25] as const;

/**
 * Reads the metadata at the beginning of a GGUF file. It never reads or allocates more than the bytes that it got.
 * @param decode from UTF-8, which this room has no function for.
 */
export function readGgufHeader(bytes: Uint8Array, decode: (utf8: Uint8Array) => string): GgufHeader {
  try {
    return { kind: "read", facts: factsOf(readMetadata(new Cursor(bytes, decode))) };
  } catch (error) {
    if (error instanceof Short) return { kind: "short" };
    if (error instanceof Wrong) return { kind: "wrong", why: error.message };
    throw error;
  }
}

class Cursor {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #decode: (utf8: Uint8Array) => string;
  #at = 0;

  constructor(bytes: Uint8Array, decode: (utf8: Uint8Array) => string) {
    this.#bytes = bytes;
    this.#decode = decode;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Moves ahead, and returns the place before. */
  skip(length: number): number {
    const start = this.#at;
    if (start + length > this.#bytes.length) throw new Short();
    this.#at = start + length;
    return start;
  }

  u32(): number {
    return this.#view.getUint32(this.skip(4), true);
  }

  count(bound: number, what: string): number {
    const value = this.#view.getBigUint64(this.skip(8), true);
    if (value > BigInt(bound)) throw new Wrong(`The file is damaged: it claims ${String(value)} ${what}.`);
    return Number(value);
  }

  text(): string {
    const length = this.count(most.textBytes, "bytes of a text");
    const start = this.skip(length);
    return this.#decode(this.#bytes.subarray(start, start + length));
  }

  skipText(): void {
    this.skip(this.count(most.textBytes, "bytes of a text"));
  }

  number(type: number): number | null {
    const start = this.skip(sizeOf(type));
    if (type === 0 || type === 7) return this.#view.getUint8(start);
    if (type === 1) return this.#view.getInt8(start);
    if (type === 2) return this.#view.getUint16(start, true);
    if (type === 3) return this.#view.getInt16(start, true);
    if (type === 4) return this.#view.getUint32(start, true);
    if (type === 5) return this.#view.getInt32(start, true);
    if (type === 10) return Number(this.#view.getBigUint64(start, true));
    if (type === 11) return Number(this.#view.getBigInt64(start, true));
    // Nothing that is asked for is a fraction.
    return null;
  }
}

function sizeOf(type: number): number {
  return sizes[type] ?? fail(`The file is damaged: it has a value of the unknown type ${String(type)}.`);
}

function fail(why: string): never {
  throw new Wrong(why);
}

function readMetadata(cursor: Cursor): ReadonlyMap<string, Value> {
  if (cursor.u32() !== magic) fail("This is not a GGUF file.");
  const version = cursor.u32();
  if (version !== 2 && version !== 3) fail(`GGUF files of version ${String(version)} are not supported.`);
  cursor.skip(8);
  const entries = cursor.count(most.entries, "entries of metadata");
  const metadata = new Map<string, Value>();
  for (let read = 0; read < entries; read += 1) {
    const key = cursor.text();
    metadata.set(key, readValue(cursor, cursor.u32()));
  }
  return metadata;
}

function readValue(cursor: Cursor, type: number): Value {
  if (type === stringType) return cursor.text();
  if (type !== arrayType) return cursor.number(type);
  const of = cursor.u32();
  if (of === arrayType) fail("The file is damaged: it has a list of lists.");
  const length = cursor.count(most.arrayEntries, "entries of a list");
  if (of === stringType) {
    for (let read = 0; read < length; read += 1) cursor.skipText();
    return null;
  }
  if (length <= most.keptNumbers) return Array.from({ length }, () => cursor.number(of) ?? 0);
  cursor.skip(length * sizeOf(of));
  return null;
}

function factsOf(metadata: ReadonlyMap<string, Value>): GgufFacts {
  const text = (key: string): string | null => {
    const value = metadata.get(key);
    return typeof value === "string" && value.trim() !== "" ? value : null;
  };
  const architecture = text("general.architecture") ?? fail("The file does not name its architecture.");
  const count = (key: string): number | null => {
    const value = metadata.get(`${architecture}.${key}`);
    return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : null;
  };
  return {
    architecture,
    name: text("general.name"),
    license: text("general.license"),
    contextTokens: count("context_length") ?? fail("The file does not tell the model's context."),
    template: text("tokenizer.chat_template"),
    contextBytesPerToken: contextBytes(count, metadata.get(`${architecture}.attention.head_count_kv`)),
  };
}

/** Zero for a model without attention, whose state does not grow. */
function contextBytes(count: (key: string) => number | null, ofLayers: Value | undefined): number {
  const layers = count("block_count") ?? 0;
  const heads = count("attention.head_count") ?? 0;
  const width = heads === 0 ? 0 : (count("embedding_length") ?? 0) / heads;
  const perHead = (count("attention.key_length") ?? width) + (count("attention.value_length") ?? width);
  const keptHeads = isNumbers(ofLayers)
    ? ofLayers.reduce((sum, each) => sum + Math.max(0, each), 0)
    : layers * (count("attention.head_count_kv") ?? heads);
  return Math.ceil(keptHeads * perHead * bytesPerNumber);
}

function isNumbers(value: Value | undefined): value is Numbers {
  return Array.isArray(value);
}
