import { createWriteStream, renameSync, statSync, type WriteStream } from "node:fs";

/** A log that grew past this (bytes) is set aside at the next start, and the one set aside before is dropped. */
const rotateAt = 5 * 1024 * 1024;

/** Opens a child's log for appending. A log that cannot be written is given up, with one line that says so. */
export function openLog(file: string): WriteStream {
  rotate(file);
  const log = createWriteStream(file, { flags: "a", mode: 0o600 });
  let told = false;
  log.on("error", (error) => {
    if (!told) console.error(`gleaner: ${file} cannot be written (${error.message}); going on without it`);
    told = true;
  });
  return log;
}

function rotate(file: string): void {
  try {
    if (statSync(file).size > rotateAt) renameSync(file, `${file}.1`);
  } catch {
    // No log yet.
  }
}
