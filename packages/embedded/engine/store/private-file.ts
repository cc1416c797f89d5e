import { chmodSync, closeSync, existsSync, openSync } from "node:fs";

/** For its owner alone: documents hold what people ask and answer. */
const ownerOnly = 0o600;

const inMemory = ":memory:";

export function isInMemory(path: string): boolean {
  return path === inMemory;
}

/**
 * Creates the database's file, if there is none, so that nobody else may read it. SQLite gives the files that it
 * makes beside it the same mode. Throws what the file system says.
 */
export function createPrivate(path: string): void {
  if (isInMemory(path)) return;
  closeSync(openSync(path, "a", ownerOnly));
}

/** Takes a database and the files beside it from everybody else, where an earlier program left them open. */
export function makePrivate(path: string): void {
  if (isInMemory(path)) return;
  for (const each of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) {
    try {
      if (existsSync(each)) chmodSync(each, ownerOnly);
    } catch {
      // Some file systems know no modes, and some files are another user's: not for us to say.
    }
  }
}
