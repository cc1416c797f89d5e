import { createHash } from "node:crypto";
import { mkdir, readFile, rm } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { replaceFile } from "../../store/replace-file.ts";
import { autostartEntry, isTurnedOff } from "./autostart-entry.ts";
import type { FoundItem, LoginItem } from "./start-at-login.ts";
import type { StartCommand } from "./start-command.ts";

/**
 * The file of an XDG autostart entry. A program with a data folder of its own has its own file.
 * @param dataFolder null for the program's usual folder.
 */
export function autostartPath(env: NodeJS.ProcessEnv, home: string, dataFolder: string | null): string {
  const given = env["XDG_CONFIG_HOME"] ?? "";
  // The specification ignores relative paths.
  const config = isAbsolute(given) ? given : join(home, ".config");
  const suffix =
    dataFolder === null ? "" : `-${createHash("sha256").update(dataFolder).digest("hex").slice(0, 8)}`;
  return join(config, "autostart", `gleaner${suffix}.desktop`);
}

export function autostartFile(path: string, command: StartCommand): LoginItem {
  return {
    find: async (): Promise<FoundItem> => {
      try {
        return isTurnedOff(await readFile(path, "utf8")) ? "off" : "on";
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return "absent";
        throw error;
      }
    },
    add: async () => {
      await mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
      await replaceFile(path, autostartEntry(command));
    },
    remove: () => rm(path, { force: true }),
  };
}
