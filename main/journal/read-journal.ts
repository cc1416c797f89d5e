import { open } from "node:fs/promises";
import { join } from "node:path";
import { type JournalEntry, parseEntry } from "./entry.ts";
import { journalFileBytes, journalFiles } from "./journal.ts";

/**
 * Everything that the journal of a donor's folder has, the oldest first; also while the donor writes, and when
 * none runs. Lines that cannot be understood are left out. Rejects when a file is there and may not be read.
 */
export async function readJournal(folder: string): Promise<readonly JournalEntry[]> {
  const current = await readBounded(join(folder, journalFiles.current));
  const previous = await readBounded(join(folder, journalFiles.previous));
  // Where it turned over between the two looks, the older file is the one that was the newer.
  const text = previous.startsWith(current) ? previous : `${previous}\n${current}`;
  return text.split("\n").flatMap((line) => parseEntry(line) ?? []);
}

/** The end of a file that is larger than any that we write: somebody else made it so. */
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
