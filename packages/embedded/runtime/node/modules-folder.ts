import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { NodeBundle } from "../source/bundled-script.ts";

/**
 * Writes a bundle's files into a new folder among the temporary ones, from which a process imports them. It is also the
 * process's working folder. Each process has one, since systems remove temporary files after some days.
 */
export function writeModules({ files, packages }: NodeBundle): string {
  // Frames of errors have the real path.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "convex-node-")));
  try {
    for (const { name, code } of files) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), code);
    }
    if (packages !== null) symlinkSync(packages, join(folder, "node_modules"), "junction");
  } catch (error) {
    removeModulesNow(folder);
    throw error;
  }
  return folder;
}

/** Removes the folder, with what actions have left there. A file that is still open may stay. */
export async function removeModules(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}

/** The same for a process that is about to end. */
export function removeModulesNow(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
