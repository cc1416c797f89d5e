import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { defaultDataFolder } from "../../launch/core/paths.ts";
import { makePending, undoRestore, unpackFolderOf } from "../../packages/embedded/backup/full/restore-swap.ts";
import { unpackBackup } from "../../packages/embedded/backup/full/unpack-backup.ts";
import { CommandError } from "../command/command.ts";

/**
 * Prepares a restore where no backend runs, be it that the present data does not let one start: the next start
 * takes it. Null for `file` prepares going back to the state before the last restore.
 */
export async function stageWithoutBackend(file: string | null, data: string | undefined) {
  const dataFile = resolve(data ?? join(defaultDataFolder(process.env), "backend.sqlite"));
  if (!existsSync(dirname(dataFile))) {
    throw new CommandError(
      `There is no folder ${dirname(dataFile)}. Start Gleaner once, or name --data FILE.`,
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
    message: `Nothing runs on ${dataFile}: the restore is prepared, and the next start takes it.`,
    undo: `${dataFile}.before-restore`,
  };
}
