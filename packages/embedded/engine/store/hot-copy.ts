import { constants } from "node:fs";
import { chmod, copyFile, open, rm } from "node:fs/promises";
import { isInMemory } from "./private-file.ts";
import type { Store } from "./store.ts";

/** The database was closed, or failed, during the copy. The copy is useless and was removed. */
class CopyAbortedError extends Error {
  override readonly name = "CopyAbortedError";

  constructor() {
    super("The database was closed while it was copied.");
  }
}

/**
 * Copies a database while it is written to. First the WAL is moved into the main file. During the copy, commits go
 * only to the WAL, so the main file holds the state of one commit.
 */
export class HotCopy {
  readonly #store: Store;
  #running: Promise<void> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Copies everything on disk into a new, synced file that only its owner may read. Nothing may be unflushed.
   * Copies wait for each other.
   */
  to(file: string, flush: () => void): Promise<void> {
    const copied = this.#running.then(() => this.#copy(file, flush));
    this.#running = copied.catch(() => undefined);
    return copied;
  }

  async #copy(file: string, flush: () => void): Promise<void> {
    flush();
    if (isInMemory(this.#store.path)) {
      this.#store.vacuumInto(file);
    } else {
      const release = this.#store.freezeMainFile();
      try {
        await copyFile(this.#store.path, file, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      } finally {
        release();
      }
    }
    if (!this.#store.isOpen) {
      // Closing moved newer commits into the main file during the copy.
      await rm(file, { force: true });
      throw new CopyAbortedError();
    }
    await chmod(file, 0o600);
    const handle = await open(file, "r+");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}
