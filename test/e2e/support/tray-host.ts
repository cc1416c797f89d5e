import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

export type TrayHost = { stop(): void };

/** Starts a system tray (trayer) on the test's display. */
export async function startTrayHost(): Promise<TrayHost> {
  const child: ChildProcess = spawn("trayer", ["--edge", "top", "--align", "right", "--expand", "true"], {
    stdio: "ignore",
  });
  for (let attempt = 0; attempt < 50; attempt++) {
    if (trayWindows().length > 0) return { stop: () => void child.kill() };
    await sleep(100);
  }
  child.kill();
  throw new Error("trayer did not appear");
}

/** The number of icons in the tray. Each Electron program embeds one window. */
export function trayIcons(): number {
  return trayWindows()
    .map((window) => execFileSync("xwininfo", ["-tree", "-id", window], { encoding: "utf8" }))
    .flatMap((tree) => tree.split("\n"))
    .filter((line) => line.includes('"Electron")')).length;
}

function trayWindows(): readonly string[] {
  return search(["--class", "trayer"]);
}

function search(args: readonly string[]): string[] {
  try {
    return execFileSync("xdotool", ["search", ...args], { encoding: "utf8" })
      .split("\n")
      .filter(Boolean);
  } catch {
    return [];
  }
}
