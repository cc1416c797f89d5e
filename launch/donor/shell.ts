import { existsSync } from "node:fs";
import { join } from "node:path";
import { installed } from "../core/paths.ts";
import { electronPackage, fetchElectron } from "./fetch-electron.ts";

/** Whether the desktop app can be opened here. `because` says why not, as a clause for the terminal. */
export type Shell =
  | { readonly kind: "desktop"; readonly electron: string; readonly args: readonly string[] }
  /** `attended`: there is a display, so a person may use this computer and must not be disturbed. */
  | { readonly kind: "headless"; readonly because: string; readonly attended: boolean };

/** A desktop app that cannot be opened only because there is no Electron yet. */
type Lacking = { readonly kind: "lacks-electron" };

/** Looks for a display and for Electron. */
export function chooseShell(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): Shell | Lacking {
  if (platform === "linux" && !env["DISPLAY"] && !env["WAYLAND_DISPLAY"]) {
    return { kind: "headless", because: "there is no display", attended: false };
  }
  const args = (env["GLEANER_ELECTRON_ARGS"] ?? "").split(" ").filter((arg) => arg !== "");
  if (platform === "linux" && process.getuid?.() === 0 && !args.includes("--no-sandbox")) {
    return {
      kind: "headless",
      because: "Electron cannot run in its sandbox as root",
      attended: true,
    };
  }
  if (installed) return installedShell(args);
  const electron = electronFile(env, platform);
  if (existsSync(electron)) return { kind: "desktop", electron, args };
  const given = env["ELECTRON_OVERRIDE_DIST_PATH"];
  if (given === undefined) return { kind: "lacks-electron" };
  const because = `there is no Electron in ${given}, which ELECTRON_OVERRIDE_DIST_PATH names`;
  return { kind: "headless", because, attended: true };
}

/** The installed program's own Electron. Its command may also run in another Node. */
function installedShell(args: readonly string[]): Shell {
  return "electron" in process.versions
    ? { kind: "desktop", electron: process.execPath, args }
    : { kind: "headless", because: "this command runs without Electron", attended: true };
}

/** The shell that the options ask for; without them, that of `chooseShell`. Fetches Electron if only that lacks. */
export async function findShell({ headless, attended = false }: ShellOptions): Promise<Shell> {
  if (headless || attended) {
    return { kind: "headless", because: `you asked for ${headless ? "--headless" : "--attended"}`, attended };
  }
  const found = chooseShell(process.env);
  if (found.kind !== "lacks-electron") return found;
  const failure = await fetchElectron((line) => console.error(line));
  const fetched = chooseShell(process.env);
  if (fetched.kind !== "lacks-electron") return fetched;
  const because = `Electron could not be fetched: ${failure ?? "its program is not there"} (to try again: npx install-electron)`;
  return { kind: "headless", because, attended: true };
}

type ShellOptions = { readonly headless: boolean; readonly attended?: boolean };

const mostFailureChars = 400;

/** Why Electron did not start, as a clause, by what it printed. Null if it printed nothing. */
export function electronFailure(output: string): string | null {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const line = lines.findLast((each) => each.includes(":FATAL:")) ?? lines.at(-1);
  // Chromium begins its lines with the process, the time and the place in its code, in brackets.
  const said = line
    ?.replace(/^\[[^\]]*\]/, "")
    .trim()
    .replace(/\.$/, "");
  return said === undefined || said === "" ? null : said.slice(0, mostFailureChars);
}

/** Where Electron's program is, or would be. */
export function electronFile(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  return join(electronFolder(env), executableName(platform));
}

/** The folder into which Electron is, or would be, unpacked. */
export function electronFolder(env: NodeJS.ProcessEnv): string {
  return env["ELECTRON_OVERRIDE_DIST_PATH"] ?? join(electronPackage(), "dist");
}

function executableName(platform: NodeJS.Platform): string {
  if (platform === "win32") return "electron.exe";
  if (platform === "darwin") return "Electron.app/Contents/MacOS/Electron";
  return "electron";
}
