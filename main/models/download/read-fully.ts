import type { FileHandle } from "node:fs/promises";

/** Reads exactly this many bytes. Throws if the file ends before. */
export async function readFully(handle: FileHandle, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await handle.read(bytes, read, length - read, start + read);
    if (bytesRead === 0) throw new Error("The file ends too early.");
    read += bytesRead;
  }
  return bytes;
}
