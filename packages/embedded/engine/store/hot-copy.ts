import { constants } from "node:fs";
import { chmod, copyFile, open, rm } from "node:fs/promises";
import { isInMemory } from "./private-file.ts";
import type { Store } from "./store.ts";

/** The file was closed, or failed, while it was copied: the copy is worth nothing and was removed. */
export class CopyAbortedError extends Error {
  override readonly name = "CopyAbortedError";

  constructor() {
    super("The database was closed while it was copied.");
  }
}

/**
 * Copies a database that goes on being written. Everything is first moved from the WAL into the main file; until
 * the copy is made, commits then go to the WAL alone, and the main file stays as it is: one commit's state.
 */
export class HotCopy {
  readonly #store: Store;
  #running: Promise<void> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Everything that is on disk now, in a new file that only its owner may read and that is on disk as well.
   * Nothing may be unflushed. Copies wait for each other.
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
      // Closing it moved newer commits into the main file under the copy's hands.
      await rm(file, { force: true });
      throw new CopyAbortedError();
    }
    await chmod(file, 0o600);
    const handle = await open(file, "r+");
    await handle.sync().finally(() => handle.close());
  }
}
