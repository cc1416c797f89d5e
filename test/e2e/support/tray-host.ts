import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

export type TrayHost = { readonly window: string; stop(): void };

/** Starts a system tray (trayer) on the test's display, as a desktop has one. */
export async function startTrayHost(): Promise<TrayHost> {
  const child: ChildProcess = spawn("trayer", ["--edge", "top", "--align", "right", "--expand", "true"], {
    stdio: "ignore",
  });
  for (let attempt = 0; attempt < 50; attempt++) {
    const window = search(["--class", "trayer"])[0];
    if (window !== undefined) return { window, stop: () => void child.kill() };
    await sleep(100);
  }
  child.kill();
  throw new Error("trayer did not appear");
}

/** How many icons the tray holds: the windows that programs embedded in it, one each. */
export function trayIcons(host: TrayHost): number {
  const tree = execFileSync("xwininfo", ["-tree", "-id", host.window], { encoding: "utf8" });
  return tree.split("\n").filter((line) => /^\s+0x[0-9a-f]+ .*(gleaner|electron)/i.test(line)).length;
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
