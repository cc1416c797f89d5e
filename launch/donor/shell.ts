import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { installed } from "../core/paths.ts";

/** Whether the desktop app can be opened here. `because` says why not, as a clause for the terminal. */
export type Shell =
  | { readonly kind: "desktop"; readonly electron: string; readonly args: readonly string[] }
  /** `attended`: there is a display, so a person may use this computer and must not be disturbed. */
  | { readonly kind: "headless"; readonly because: string; readonly attended: boolean };

/** Looks for a display and for Electron. Never downloads Electron: `npx install-electron` does that. */
export function chooseShell(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): Shell {
  if (platform === "linux" && !env["DISPLAY"] && !env["WAYLAND_DISPLAY"]) {
    return { kind: "headless", because: "there is no display", attended: false };
  }
  const electron = findElectron(env, platform);
  if (electron === null) {
    const because = "Electron is not installed (to install it: npx install-electron)";
    return { kind: "headless", because, attended: true };
  }
  const args = (env["GLEANER_ELECTRON_ARGS"] ?? "").split(" ").filter((arg) => arg !== "");
  if (platform === "linux" && process.getuid?.() === 0 && !args.includes("--no-sandbox")) {
    return {
      kind: "headless",
      because: "Electron cannot run in its sandbox as root",
      attended: true,
    };
  }
  return { kind: "desktop", electron, args };
}

/** The shell that the options ask for; without them, that of `chooseShell`. */
export function shellFor({ headless, attended = false }: ShellOptions): Shell {
  if (!headless && !attended) return chooseShell(process.env);
  return { kind: "headless", because: `you asked for ${headless ? "--headless" : "--attended"}`, attended };
}

type ShellOptions = { readonly headless: boolean; readonly attended?: boolean };

function findElectron(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string | null {
  if (installed) return "electron" in process.versions ? process.execPath : null;
  const electronPackage = createRequire(import.meta.url).resolve("electron/package.json");
  const folder = env["ELECTRON_OVERRIDE_DIST_PATH"] ?? join(dirname(electronPackage), "dist");
  const file = join(folder, executableName(platform));
  return existsSync(file) ? file : null;
}

function executableName(platform: NodeJS.Platform): string {
  if (platform === "win32") return "electron.exe";
  if (platform === "darwin") return "Electron.app/Contents/MacOS/Electron";
  return "electron";
}
