import { createHash } from "node:crypto";

/** A stream's bytes as they come by, and what they were once it has ended. */
export type Measured<Chunk extends Uint8Array> = {
  readonly content: () => AsyncGenerator<Chunk>;
  /** In bytes, of what has come by. */
  readonly size: () => number;
  /** SHA-256 of what has come by; once. */
  readonly sha256: (encoding: "hex" | "base64") => string;
};

/** Counts and hashes what is read from `content`, without keeping any of it. An error of the source passes through. */
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
