import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { errorName, type Log } from "../log.ts";
import type { JournalEntry } from "./entry.ts";

/** The current file, and the previous one, which is full. */
export const journalFiles = { current: "journal.jsonl", previous: "journal.1.jsonl" } as const;

/** The size limit of each file, in bytes. */
export const journalFileBytes = 2 * 2 ** 20;

/**
 * The donor's journal: one JSON object a line, in two files of at most 2 MiB. A full file replaces the previous
 * one. Each entry is one write at the end, so a crash can cut off only the last line; the next start begins a
 * new line. Only the donor with the folder's lock writes. A full disk loses entries but never stops the donor.
 */
export class Journal {
  readonly #folder: string;
  readonly #log: Log;
  readonly #maxBytes: number;
  #file: number | null = null;
  #bytes = 0;
  #failing = false;

  constructor(folder: string, log: Log, maxBytes: number = journalFileBytes) {
    this.#folder = folder;
    this.#log = log;
    this.#maxBytes = maxBytes;
  }

  /** Synchronous: entries are small and rare, and the last one is written while the program ends. */
  record(entry: JournalEntry): void {
    try {
      const line = Buffer.from(`${JSON.stringify(entry)}\n`);
      this.#open();
      if (this.#bytes + line.length > this.#maxBytes) this.#turnOver();
      this.#write(this.#open(), line);
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.#log("warn", "journal.not-written", { error: errorName(error) });
      this.#failing = true;
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  #write(file: number, line: Buffer): void {
    writeSync(file, line);
    this.#bytes += line.length;
  }

  #open(): number {
    if (this.#file !== null) return this.#file;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const file = openSync(join(this.#folder, journalFiles.current), "a+", 0o600);
    this.#file = file;
    this.#bytes = fstatSync(file).size;
    if (this.#bytes > 0 && !endsLine(file, this.#bytes)) this.#write(file, Buffer.from("\n"));
    return file;
  }

  #turnOver(): void {
    this.close();
    renameSync(join(this.#folder, journalFiles.current), join(this.#folder, journalFiles.previous));
  }
}

function endsLine(file: number, size: number): boolean {
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last[0] === 0x0a;
}
