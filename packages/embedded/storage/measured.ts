import { createHash } from "node:crypto";

/** A stream's bytes, with their size and hash once it has ended. */
type Measured<Chunk extends Uint8Array> = {
  readonly content: () => AsyncGenerator<Chunk>;
  /** Bytes read so far. */
  readonly size: () => number;
  /** SHA-256 of the bytes read so far. Call it only once. */
  readonly sha256: (encoding: "hex" | "base64") => string;
};

/** Counts and hashes the bytes read from `content`, without keeping them. Passes on the source's error. */
export function measured<Chunk extends Uint8Array>(source: AsyncIterable<Chunk>): Measured<Chunk> {
  const hash = createHash("sha256");
  let size = 0;
  return {
    content: async function* () {
      for await (const chunk of source) {
        hash.update(chunk);
        size += chunk.byteLength;
        yield chunk;
      }
    },
    size: () => size,
    sha256: (encoding) => hash.digest(encoding),
  };
}
