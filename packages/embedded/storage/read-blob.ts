import { openAsBlob } from "node:fs";
import { open } from "node:fs/promises";

const maxBytesInMemory = 1024 * 1024;
/** A stream of a Blob gives each of these pieces as one chunk. */
const pieceBytes = 256 * 1024;

/** A file's bytes as a Blob; null if there is no file. A large Blob reads them lazily, and fails if the file was deleted. */
export async function readBlob(path: string, type: string): Promise<Blob | null> {
  const file = await open(path).catch(nullIfMissing);
  if (file === null) return null;
  try {
    if ((await file.stat()).size > maxBytesInMemory) return await openAsBlob(path, { type });
    // A Blob copies its bytes, so the whole file would be in memory twice.
    const piece = Buffer.alloc(pieceBytes);
    const pieces: Blob[] = [];
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, pieceBytes);
      if (bytesRead === 0) return new Blob(pieces, { type });
      pieces.push(new Blob([piece.subarray(0, bytesRead)]));
    }
  } finally {
    await file.close();
  }
}

/** For a promise's `catch`: null if the error says that a file does not exist. Rethrows other errors. */
export function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}
