import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type FactRecord, parseRecord } from "../../app/policy/replay/record.ts";
import { errorName, type Log } from "../log.ts";

/** In the donor's folder: one file a day (UTC). */
export const factFolder = "facts";
const dayMs = 24 * 3_600_000;
/** Whole days that are kept, besides the current one. */
export const keptDays = 7;
/** Nothing more is recorded on a day whose file is larger. */
const maxDayBytes = 2 ** 20;

/**
 * The device's own record of its facts, for replays. Only its user can read the files. Older ones are deleted. A failure is
 * logged once and never stops the donor.
 */
export class FactFiles {
  readonly #folder: string;
  readonly #log: Log;
  #day = "";
  #bytes = 0;
  #failing = false;

  constructor(dataDir: string, log: Log) {
    this.#folder = join(dataDir, factFolder);
    this.#log = log;
  }

  append(record: FactRecord): void {
    try {
      const day = dayOf(record.at);
      if (day !== this.#day) this.#turnTo(day, record.at);
      if (this.#bytes > maxDayBytes) return;
      const line = `${JSON.stringify(record)}\n`;
      appendFileSync(join(this.#folder, nameOf(day)), line, { mode: 0o600 });
      this.#bytes += Buffer.byteLength(line);
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.#log("warn", "facts.not-written", { error: errorName(error) });
      this.#failing = true;
    }
  }

  #turnTo(day: string, at: number): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const oldest = nameOf(dayOf(at - keptDays * dayMs));
    for (const name of fileNames(this.#folder)) if (name < oldest) rmSync(join(this.#folder, name));
    const path = join(this.#folder, nameOf(day));
    this.#bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    // A crash may have cut off the last line.
    if (this.#bytes > 0 && !readFileSync(path, "utf8").endsWith("\n")) appendFileSync(path, "\n");
    this.#day = day;
  }
}

/** Reads the records of the last days, a file at a time, oldest first. Skips lines that cannot be parsed. */
export async function* readFacts(dataDir: string): AsyncGenerator<readonly FactRecord[]> {
  const folder = join(dataDir, factFolder);
  for (const name of fileNames(folder)) {
    const path = join(folder, name);
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 2 * maxDayBytes) continue;
    const text = await readFile(path, "utf8");
    yield text.split("\n").flatMap((line) => parseRecord(line) ?? []);
  }
}

function fileNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d{4}-\d\d-\d\d\.jsonl$/.test(name))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function nameOf(day: string): string {
  return `${day}.jsonl`;
}
