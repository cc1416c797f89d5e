import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { sha256 } from "../../app/models/catalog-entry.ts";
import type { Log } from "../log.ts";
import { replaceFile } from "../store/replace-file.ts";
import { SerialWrites } from "../store/serial-writes.ts";

const time = z.number().int().min(0);

const stored = z.object({
  modelId: z.string().max(200),
  sizeBytes: z.number().int().positive(),
  contextTokens: z.number().int().positive(),
  /** The piece size of its download. */
  pieceBytes: z.number().int().positive(),
  /** The stamp of the verified file. See `stampOf`. */
  stamp: z.string().max(200),
  lastUsedAt: time,
});

const schema = z.object({
  files: z.record(sha256, stored),
  /** Files that were deleted to make room. They never displace others. */
  evicted: z.array(z.string()).max(1_000),
  /** Files that the donor removed. They return only at the donor's request. */
  refused: z.array(z.string()).max(1_000),
});

export type StoredModel = z.infer<typeof stored>;

/** The interval between saves of usage, in ms. A crash forgets at most this much. */
const saveEveryMs = 60_000;

/** The index of the downloaded files: `index.json` in their folder. */
export class StoredModels {
  readonly #path: string;
  readonly #log: Log;
  readonly files: Map<string, StoredModel>;
  readonly evicted: Set<string>;
  readonly refused: Set<string>;
  readonly #writes = new SerialWrites();
  #savedAt = 0;

  private constructor(path: string, log: Log, found: z.infer<typeof schema>) {
    this.#path = path;
    this.#log = log;
    this.files = new Map(Object.entries(found.files));
    this.evicted = new Set(found.evicted);
    this.refused = new Set(found.refused);
  }

  /** If the index is invalid, starts with an empty one. The files are then verified again. */
  static async open(folder: string, log: Log): Promise<StoredModels> {
    const path = join(folder, "index.json");
    const empty = { files: {}, evicted: [], refused: [] };
    try {
      return new StoredModels(path, log, schema.parse(JSON.parse(await readFile(path, "utf8"))));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") log("warn", "models.index-unreadable");
      return new StoredModels(path, log, empty);
    }
  }

  used(sha256: string, now: number): void {
    const file = this.files.get(sha256);
    if (file === undefined) return;
    this.files.set(sha256, { ...file, lastUsedAt: now });
    if (now - this.#savedAt >= saveEveryMs) void this.save();
  }

  save(): Promise<void> {
    this.#savedAt = Date.now();
    return this.#writes.run(async () => {
      const value = {
        files: Object.fromEntries(this.files),
        evicted: [...this.evicted].slice(-1_000),
        refused: [...this.refused].slice(-1_000),
      };
      try {
        await replaceFile(this.#path, `${JSON.stringify(value)}\n`);
      } catch (error) {
        this.#log("warn", "models.index-not-saved", { code: (error as NodeJS.ErrnoException).code ?? null });
      }
    });
  }
}
