import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { app, BrowserWindow } from "electron";
import type { Log } from "../../log.ts";
import { ProgramPages } from "./program-pages.ts";
import { endUnusedZygote } from "./unused-zygote.ts";

/** The start and the end of a window still need memory for a while. */
const startedAfterMs = 20_000;
const closedAfterMs = 5_000;
/** The donor's work brings pages back, and needs few of them often. */
const againEveryMs = 5 * 60_000;

/** Keeps the program small while it shows no window. Only on Linux, where it was measured. Call it once, at the start. */
export function restInLittleMemory(log: Log): void {
  if (process.platform !== "linux") return;
  const pages = new ProgramPages();
  const collectGarbage = garbageCollector();
  let timer: NodeJS.Timeout | undefined;
  const rest = (): void => {
    if (BrowserWindow.getAllWindows().length > 0) return;
    endUnusedZygote();
    collectGarbage();
    pages.giveBack();
  };
  const restIn = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      try {
        rest();
      } catch (error) {
        log("warn", "desktop.memory-not-given-back", { error: String(error) });
      }
      restIn(againEveryMs);
    }, ms);
  };
  restIn(startedAfterMs);
  app.on("window-all-closed", () => restIn(closedAfterMs));
}

/** V8 collects all garbage only when its heap grows, which it does not at rest. */
function garbageCollector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}
