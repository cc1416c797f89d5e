import { readFile } from "node:fs/promises";
import * as z from "zod";
import type { Log } from "../../log.ts";
import { replaceFile } from "../../store/replace-file.ts";

const schema = z.object({ day: z.string().max(10), bytes: z.number().int().min(0) });

/** The bytes fetched from the internet on this local day. They survive restarts. */
export class DayBudget {
  readonly #path: string;
  readonly #log: Log;
  #day: string;
  #bytes: number;
  #saved: number;
  #saving = false;

  private constructor(path: string, log: Log, day: string, bytes: number) {
    this.#path = path;
    this.#log = log;
    this.#day = day;
    this.#bytes = bytes;
    this.#saved = bytes;
  }

  static async open(path: string, log: Log): Promise<DayBudget> {
    try {
      const { day, bytes } = schema.parse(JSON.parse(await readFile(path, "utf8")));
      return new DayBudget(path, log, day, bytes);
    } catch {
      return new DayBudget(path, log, "", 0);
    }
  }

  spentOn(now: Date): number {
    return dayOf(now) === this.#day ? this.#bytes : 0;
  }

  count(bytes: number, now: Date): void {
    const day = dayOf(now);
    if (day !== this.#day) {
      this.#day = day;
      this.#bytes = 0;
      this.#saved = 0;
    }
    this.#bytes += bytes;
    // A killed process forgets fewer bytes than this.
    if (this.#bytes - this.#saved >= saveEveryBytes) void this.save();
  }

  async save(): Promise<void> {
    if (this.#saving || this.#bytes === this.#saved) return;
    this.#saving = true;
    const bytes = this.#bytes;
    try {
      await replaceFile(this.#path, `${JSON.stringify({ day: this.#day, bytes })}\n`);
      this.#saved = bytes;
    } catch (error) {
      this.#log("warn", "models.budget-not-saved", { code: (error as NodeJS.ErrnoException).code ?? null });
    } finally {
      this.#saving = false;
    }
  }
}

const saveEveryBytes = 4 * 2 ** 20;

/** The local day, e.g. 2026-11-21. */
function dayOf(now: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
