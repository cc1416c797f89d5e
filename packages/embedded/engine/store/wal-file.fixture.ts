import { readFileSync } from "node:fs";

const headerBytes = 32;
const frameHeaderBytes = 24;

/** Byte offsets at which the transactions of a WAL end (https://www.sqlite.org/fileformat2.html#walformat). */
export function commitEnds(walFile: string): readonly number[] {
  const wal = readFileSync(walFile);
  if (wal.length < headerBytes) return [];
  const frameBytes = frameHeaderBytes + wal.readUInt32BE(8);
  const salt = wal.subarray(16, 24);
  const ends: number[] = [];
  for (let at = headerBytes; at + frameBytes <= wal.length; at += frameBytes) {
    // Frames with another salt are left over from before the WAL was restarted.
    if (!wal.subarray(at + 8, at + 16).equals(salt)) break;
    const isCommit = wal.readUInt32BE(at + 4) !== 0;
    if (isCommit) ends.push(at + frameBytes);
  }
  return ends;
}
