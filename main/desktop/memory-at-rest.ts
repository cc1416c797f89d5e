import { app, BrowserWindow } from "electron";
import type { Log } from "../log.ts";
import { giveBackPages } from "./program-pages.ts";

/** The start and the end of a window still need pages for a while. */
const startedAfterMs = 20_000;
const closedAfterMs = 5_000;
/** The donor's work brings pages back, and needs few of them often. */
const againEveryMs = 5 * 60_000;

/** Keeps the program small while it shows no window. Only on Linux, where it was measured. */
export function restInLittleMemory(log: Log): void {
  if (process.platform !== "linux") return;
  let timer: NodeJS.Timeout | undefined;
  const restIn = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(rest, ms);
  };
  const rest = (): void => {
    if (BrowserWindow.getAllWindows().length > 0) return;
    giveBackPages().then(
      () => restIn(againEveryMs),
      (error: unknown) => log("warn", "desktop.memory-not-given-back", { error: String(error) }),
    );
  };
  restIn(startedAfterMs);
  app.on("window-all-closed", () => restIn(closedAfterMs));
}
