import { chmodSync, closeSync, existsSync, openSync } from "node:fs";

/** Only the owner may read the file: documents hold people's questions and answers. */
const ownerOnly = 0o600;

const inMemory = ":memory:";

export function isInMemory(path: string): boolean {
  return path === inMemory;
}

/**
 * Creates the database file, if missing, readable only by its owner. SQLite gives the files beside it the same
 * mode. Throws the file system's error.
 */
export function createPrivate(path: string): void {
  if (isInMemory(path)) return;
  closeSync(openSync(path, "a", ownerOnly));
}

/** Makes a database and the files beside it private, in case an earlier program left them open. */
export function makePrivate(path: string): void {
  if (isInMemory(path)) return;
  for (const each of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) {
    try {
      if (existsSync(each)) chmodSync(each, ownerOnly);
    } catch {
      // Some file systems have no modes, and some files belong to another user: ignore.
    }
  }
}
