import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { factFolder } from "../../journal/fact-files.ts";
import { journalFiles } from "../../journal/journal.ts";
import { errorName, type Log } from "../../log.ts";
import { dataNames } from "../../store/data-names.ts";
import { identityFileName } from "../organization/identity.ts";

/** In this order: without its key, a computer belongs to nobody, whatever else is left. */
const ours = [
  identityFileName,
  ...Object.values(dataNames),
  ...Object.values(journalFiles),
  factFolder,
] as const;

/**
 * Removes everything that a donor stored, with the copies that were moved aside. The folder may also have files of the desktop
 * program, of Chromium and of the person, which stay. Returns the names that could not be removed. Never rejects.
 */
export async function eraseData(folder: string, log: Log): Promise<readonly string[]> {
  const found = await readdir(folder).catch((error: unknown) => {
    log("error", "data.not-read", { error: errorName(error) });
    return null;
  });
  if (found === null) return [folder];
  const kept: string[] = [];
  for (const own of ours) {
    for (const name of found.filter((name) => name === own || name.startsWith(`${own}.`))) {
      try {
        await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 });
      } catch (error) {
        log("error", "data.not-removed", { name, error: errorName(error) });
        kept.push(name);
      }
    }
  }
  return kept;
}
