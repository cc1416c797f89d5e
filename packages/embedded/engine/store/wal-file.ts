import { closeSync, fdatasync, fdatasyncSync, openSync } from "node:fs";
import { isInMemory } from "./private-file.ts";

/**
 * Puts a database's write-ahead log on disk. SQLite would do it within each COMMIT, on the thread of all functions, which
 * would then wait for the disk.
 */
export class WalFile {
  readonly #path: string | null;
  #descriptor: number | null = null;
  #running: Promise<void> | null = null;

  /** @param database The database's path, or ":memory:", which needs no disk. */
  constructor(database: string) {
    this.#path = isInMemory(database) ? null : `${database}-wal`;
  }

  /**
   * Calls `done` when all that was written before is on disk, or with the disk's error. One call at a time. Throws if the
   * file cannot be opened.
   */
  sync(done: (error: Error | null) => void): void {
    if (this.#path === null) {
      done(null);
      return;
    }
    const descriptor = this.#open(this.#path);
    this.#running = new Promise((resolve) => {
      fdatasync(descriptor, (error) => {
        this.#running = null;
        resolve();
        done(error);
      });
    });
  }

  /** Like `sync`, and blocks meanwhile. Throws the disk's error. */
  syncNow(): void {
    if (this.#path !== null) fdatasyncSync(this.#open(this.#path));
  }

  /** Resolves when no call of `sync` is at work. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Releases the file, once a call of `sync` at work has ended. */
  close(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = null;
    if (descriptor === null) return;
    if (this.#running === null) closeSync(descriptor);
    else void this.#running.then(() => closeSync(descriptor));
  }

  /** SQLite keeps the same file while the database is open. It exists after the first commit. */
  #open(path: string): number {
    this.#descriptor ??= openSync(path, "r+");
    return this.#descriptor;
  }
}
