import { rm } from "node:fs/promises";

/** Removes a database file and what SQLite keeps beside it. */
export async function removeDatabase(file: string): Promise<void> {
  for (const each of [file, `${file}-wal`, `${file}-shm`]) await rm(each, { force: true });
}
