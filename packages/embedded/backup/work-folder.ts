import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isInMemory } from "../engine/store/private-file.ts";

/**
 * Where exports, uploads and copies lie while they are made, beside the data file: there is the room, and a file
 * can be moved into place from there. Nothing in it outlives the process; nobody else may look into it.
 */
export class WorkFolder {
  readonly path: string;

  constructor(dataFile: string) {
    this.path = isInMemory(dataFile) ? mkdtempSync(join(tmpdir(), "backend-work-")) : `${dataFile}-work`;
    rmSync(this.path, { recursive: true, force: true });
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    chmodSync(this.path, 0o700);
  }

  /** A new path in it. */
  newPath(kind: string): string {
    return join(this.path, `${kind}-${randomUUID()}`);
  }

  /** Removes it with everything in it. */
  close(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Removes a database file and what SQLite keeps beside it. */
export async function removeDatabase(file: string): Promise<void> {
  for (const each of [file, `${file}-wal`, `${file}-shm`]) await rm(each, { force: true });
}
