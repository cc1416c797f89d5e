import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { Writable } from "node:stream";

/** The size of a file, and the number of files of a log: `x.log`, `x.log.1`, … The oldest has the highest number. */
const defaults = { maxBytes: 5 * 1024 * 1024, files: 4 } as const;

/**
 * A log that is appended to, and that begins a new file when the current one is full. If it cannot be written, says so once
 * and drops what comes.
 */
export class LogFile extends Writable {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #files: number;
  #handle: FileHandle | null = null;
  #bytes = 0;
  #told = false;

  constructor(path: string, options: { readonly maxBytes?: number; readonly files?: number } = {}) {
    super({ decodeStrings: true });
    this.#path = path;
    this.#maxBytes = options.maxBytes ?? defaults.maxBytes;
    this.#files = options.files ?? defaults.files;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    void this.#append(chunk).then(done);
  }

  override _final(done: () => void): void {
    void this.#close().then(done);
  }

  async #append(chunk: Buffer): Promise<void> {
    try {
      this.#handle ??= await this.#open();
      if (this.#bytes > 0 && this.#bytes + chunk.length > this.#maxBytes) {
        await this.#close();
        await this.#rotate();
        this.#handle = await this.#open();
      }
      await this.#handle.write(chunk);
      this.#bytes += chunk.length;
    } catch (error) {
      if (this.#told) return;
      this.#told = true;
      const { message } = error as Error;
      console.error(`gleaner: cannot write the log ${this.#path} (${message}). Gleaner runs without it.`);
    }
  }

  async #open(): Promise<FileHandle> {
    const handle = await open(this.#path, "a", 0o600);
    this.#bytes = (await handle.stat()).size;
    return handle;
  }

  async #close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = null;
    await handle?.close().catch(() => undefined);
  }

  async #rotate(): Promise<void> {
    const nameOf = (index: number): string => (index === 0 ? this.#path : `${this.#path}.${String(index)}`);
    await rm(nameOf(this.#files - 1), { force: true });
    for (let index = this.#files - 2; index >= 0; index--) {
      await rename(nameOf(index), nameOf(index + 1)).catch(ignoreMissing);
    }
  }
}

function ignoreMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}
