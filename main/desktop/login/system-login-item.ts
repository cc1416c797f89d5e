import { homedir } from "node:os";
import { app } from "electron";
import { autostartFile, autostartPath } from "./autostart-file.ts";
import type { FoundItem, LoginItem } from "./start-at-login.ts";
import { startCommand } from "./start-command.ts";

/**
 * This system's login item of the running program. Null if it has none.
 * @param dataFolder null for the program's usual folder.
 */
export function systemLoginItem(dataFolder: string | null): LoginItem | null {
  const checkout = app.isPackaged ? null : app.getAppPath();
  const command = startCommand({ execPath: process.execPath, checkout, dataFolder, env: process.env });
  if (process.platform === "linux") {
    return autostartFile(autostartPath(process.env, homedir(), dataFolder), command);
  }
  // macOS starts only installed programs, and without arguments. On Windows a registry value has the program's name.
  if (checkout !== null || dataFolder !== null) return null;
  return process.platform === "darwin" ? macLoginItem : windowsLoginItem(command.slice(1));
}

/** Whether macOS started the program at login. On other systems the arguments say so. */
export function wasOpenedAtLogin(): boolean {
  return process.platform === "darwin" && app.getLoginItemSettings().wasOpenedAtLogin;
}

function set(settings: Electron.Settings): Promise<void> {
  app.setLoginItemSettings(settings);
  return Promise.resolve();
}

const macLoginItem: LoginItem = {
  find: () => {
    const { status } = app.getLoginItemSettings();
    return Promise.resolve(status === "enabled" ? "on" : status === "requires-approval" ? "off" : "absent");
  },
  add: () => set({ openAtLogin: true }),
  remove: () => set({ openAtLogin: false }),
};

function windowsLoginItem(args: string[]): LoginItem {
  const find = (): FoundItem => {
    const { openAtLogin, executableWillLaunchAtLogin } = app.getLoginItemSettings({ args });
    if (!openAtLogin) return "absent";
    return executableWillLaunchAtLogin ? "on" : "off";
  };
  return {
    find: () => Promise.resolve(find()),
    add: () => set({ openAtLogin: true, args }),
    remove: () => set({ openAtLogin: false, args }),
  };
}
