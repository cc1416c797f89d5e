import { open } from "node:fs/promises";
import { join } from "node:path";
import { type JournalEntry, parseEntry } from "./entry.ts";
import { journalFileBytes, journalFiles } from "./journal.ts";

/**
 * Reads the journal of a donor's folder, oldest entry first, whether or not the donor runs. Skips lines that
 * cannot be parsed. Rejects if a file exists but cannot be read.
 */
export async function readJournal(folder: string): Promise<readonly JournalEntry[]> {
  const current = await readBounded(join(folder, journalFiles.current));
  const previous = await readBounded(join(folder, journalFiles.previous));
  // If the files rotated between the two reads, the previous file contains the current one.
  const text = previous.startsWith(current) ? previous : `${previous}\n${current}`;
  return text.split("\n").flatMap((line) => parseEntry(line) ?? []);
}

/** Reads only the end of a file that is larger than any that we write. */
async function readBounded(path: string): Promise<string> {
  let file;
  try {
    file = await open(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
  try {
    const { size } = await file.stat();
    const length = Math.min(size, journalFileBytes);
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await file.read(bytes, 0, length, size - length);
    return bytes.subarray(0, bytesRead).toString("utf8");
  } finally {
    await file.close();
  }
}
