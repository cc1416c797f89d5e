import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { installed } from "../core/paths.ts";

/** Whether the desktop app can be opened here, and if not, why: one clause for the terminal. */
export type Shell =
  | { readonly kind: "desktop"; readonly electron: string; readonly args: readonly string[] }
  /** `attended`: there is a display, so somebody may sit there and is not to be disturbed. */
  | { readonly kind: "headless"; readonly because: string; readonly attended: boolean };

/** Looks for a display and an Electron. Never downloads: `npx install-electron` does that. */
export function chooseShell(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): Shell {
  if (platform === "linux" && !env["DISPLAY"] && !env["WAYLAND_DISPLAY"]) {
    return { kind: "headless", because: "there is no display", attended: false };
  }
  const electron = findElectron(env, platform);
  if (electron === null) {
    const because = "there is no Electron here yet (get it with: npx install-electron)";
    return { kind: "headless", because, attended: true };
  }
  const args = (env["GLEANER_ELECTRON_ARGS"] ?? "").split(" ").filter((arg) => arg !== "");
  if (platform === "linux" && process.getuid?.() === 0 && !args.includes("--no-sandbox")) {
    return {
      kind: "headless",
      because: "Electron keeps its sandbox, which root cannot have",
      attended: true,
    };
  }
  return { kind: "desktop", electron, args };
}

function findElectron(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string | null {
  if (installed) return "electron" in process.versions ? process.execPath : null;
  const name = executableName(platform);
  const override = env["ELECTRON_OVERRIDE_DIST_PATH"];
  const folder = override ?? join(packageFolder(), "dist");
  const file = join(folder, name);
  return existsSync(file) ? file : null;
}

function packageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve("electron/package.json"));
}

function executableName(platform: NodeJS.Platform): string {
  if (platform === "win32") return "electron.exe";
  if (platform === "darwin") return "Electron.app/Contents/MacOS/Electron";
  return "electron";
}
