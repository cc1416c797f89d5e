import { homedir } from "node:os";
import { join } from "node:path";

/** Where Electron keeps what belongs to the desktop program. */
export function desktopFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  if (platform === "win32") return join(env["APPDATA"] ?? join(homedir(), "AppData", "Roaming"), "gleaner");
  if (platform === "darwin") return join(homedir(), "Library", "Application Support", "gleaner");
  return join(env["XDG_CONFIG_HOME"] ?? join(homedir(), ".config"), "gleaner");
}
