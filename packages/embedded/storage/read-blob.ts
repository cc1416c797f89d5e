import { openAsBlob } from "node:fs";
import { readFile, stat } from "node:fs/promises";

const maxBytesInMemory = 64 * 1024 * 1024;

/** A file's bytes as a Blob; null if there is no file. A large Blob reads them lazily, and fails if the file was deleted. */
export async function readBlob(path: string, type: string): Promise<Blob | null> {
  const found = await stat(path).catch(nullIfMissing);
  if (found === null) return null;
  if (found.size > maxBytesInMemory) return openAsBlob(path, { type });
  const bytes = await readFile(path).catch(nullIfMissing);
  return bytes === null ? null : new Blob([bytes], { type });
}

/** For a promise's `catch`: null if the error says that a file does not exist. Rethrows other errors. */
export function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}
