import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { desktopFolder } from "../../launch/desktop-folder.ts";
import { defaultDataFolder } from "../../launch/core/paths.ts";

/**
 * Where a donor that was not named may keep its things, the likeliest first: what `npm start` and `gleaner donate`
 * made (in an installed program there is no such place), then the desktop program's own.
 */
export function donorFolders(data: string | undefined, env: NodeJS.ProcessEnv): readonly string[] {
  const named = data ?? env["GLEANER_DATA"];
  if (named !== undefined) return [donorFolderIn(resolve(named))];
  const own = [defaultDataFolder(env), desktopFolder(env)].map(donorFolderIn);
  return own.filter((folder, index) => own.indexOf(folder) === index);
}

/** Beside a backend, the donor has a folder of its own in the data folder. */
function donorFolderIn(folder: string): string {
  const inner = join(folder, "donor");
  return existsSync(inner) ? inner : folder;
}
