import { Gzip } from "fflate/browser";
import type { Chunks } from "./readParts.ts";

/** Lines of answers become five to ten times smaller. A higher level takes twice as long for a tenth less. */
const level = 4;

/** Compresses content with gzip. Null if it does not become as small as `mostBytes`. Convex has no CompressionStream. */
export async function zipContent(chunks: Chunks, mostBytes: number): Promise<Blob | null> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const gzip = new Gzip({ level }, (part) => {
    bytes += part.byteLength;
    parts.push(new Uint8Array(part));
  });
  for await (const chunk of chunks) {
    gzip.push(chunk);
    if (bytes > mostBytes) return null;
  }
  gzip.push(new Uint8Array(), true);
  return bytes > mostBytes ? null : new Blob(parts);
}
