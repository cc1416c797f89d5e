import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { defaultDataFolder } from "../../launch/core/paths.ts";
import {
  makePending,
  undoRestore,
  unpackFolderOf,
} from "../../packages/embedded/backup/full/restore-swap.ts";
import { unpackBackup } from "../../packages/embedded/backup/full/unpack-backup.ts";
import { CommandError } from "../command/command.ts";

/**
 * Prepares a restore while no backend runs, perhaps because it cannot start with the present data. The next start
 * completes it. If `file` is null, prepares to go back to the state before the last restore.
 */
export async function stageWithoutBackend(file: string | null, data: string | undefined) {
  const dataFile = resolve(data ?? join(defaultDataFolder(process.env), "backend.sqlite"));
  if (!existsSync(dirname(dataFile))) {
    throw new CommandError(
      `There is no folder ${dirname(dataFile)}. Start Gleaner once, or name the data file with --data.`,
    );
  }
  const id = randomUUID();
  if (file === null) {
    if (!undoRestore(dataFile, id)) throw new CommandError("There is nothing to undo.");
  } else {
    const folder = unpackFolderOf(dataFile);
    await rm(folder, { recursive: true, force: true });
    try {
      await unpackBackup(file, folder);
      makePending(dataFile, folder, id);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw new CommandError(error instanceof Error ? error.message : String(error));
    }
  }
  return {
    message: `No deployment runs on ${dataFile}. The restore is prepared, and the next start takes it.`,
    undo: `${dataFile}.before-restore`,
  };
}
