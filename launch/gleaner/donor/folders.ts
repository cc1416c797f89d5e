import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { defaultDataFolder } from "../../paths.ts";

/**
 * Where a donor that was not named may keep its things, the likeliest first: what `npm start` and `gleaner donate`
 * made, then the desktop program's own.
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

/** Where Electron keeps what belongs to the program. */
function desktopFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  if (platform === "win32") return join(env["APPDATA"] ?? join(homedir(), "AppData", "Roaming"), "gleaner");
  if (platform === "darwin") return join(homedir(), "Library", "Application Support", "gleaner");
  return join(env["XDG_CONFIG_HOME"] ?? join(homedir(), ".config"), "gleaner");
}
