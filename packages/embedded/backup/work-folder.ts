import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isInMemory } from "../engine/store/private-file.ts";

/**
 * The folder for unfinished exports, uploads and copies. It is beside the data file: that disk has the room,
 * and files can be moved into place from there. It is emptied at every start, and only its owner may read it.
 */
export class WorkFolder {
  readonly path: string;

  constructor(dataFile: string) {
    this.path = isInMemory(dataFile) ? mkdtempSync(join(tmpdir(), "backend-work-")) : `${dataFile}-work`;
    rmSync(this.path, { recursive: true, force: true });
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    chmodSync(this.path, 0o700);
  }

  /** Returns a new path in the folder. */
  newPath(kind: string): string {
    return join(this.path, `${kind}-${randomUUID()}`);
  }

  /** Removes the folder with its contents. */
  close(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Removes a database file and the files that SQLite keeps beside it. */
export async function removeDatabase(file: string): Promise<void> {
  for (const each of [file, `${file}-wal`, `${file}-shm`]) await rm(each, { force: true });
}
