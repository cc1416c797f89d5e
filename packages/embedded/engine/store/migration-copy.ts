import { readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { createPrivate, isInMemory } from "./private-file.ts";

/** Where the file stays as it was before it was migrated from `version`. */
export function migrationCopyPath(path: string, version: number): string {
  return `${path}.format-${String(version)}`;
}

/**
 * Keeps a copy of a file that is about to be migrated, so that the program before can be gone back to. Only the
 * newest such copy stays. Throws what SQLite or the file system says; the file is untouched then.
 */
export function keepCopyBeforeMigration(db: DatabaseSync, path: string, version: number): void {
  if (isInMemory(path)) return;
  const copy = migrationCopyPath(path, version);
  const unfinished = `${copy}.part`;
  rmSync(unfinished, { force: true });
  createPrivate(unfinished);
  // Of the database, not of the file: what is still in the WAL comes along.
  db.prepare("VACUUM INTO ?").run(unfinished);
  removeOlderCopies(path);
  renameSync(unfinished, copy);
}

function removeOlderCopies(path: string): void {
  const prefix = `${basename(path)}.format-`;
  for (const name of readdirSync(dirname(path))) {
    const isCopy = name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length));
    if (isCopy) rmSync(join(dirname(path), name), { force: true });
  }
}
