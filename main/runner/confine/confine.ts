import type { Confinement } from "../../../app/contract/confinement.ts";
import { confinementOrder } from "../../../app/contract/runner-start.ts";
import { confineLinux } from "./linux/confine-linux.ts";
import { confineMacos } from "./macos/confine-macos.ts";
import { native } from "./native.ts";
import { failureOf, makeCache, nothing } from "./report.ts";
import { confineWindows } from "./windows/confine-windows.ts";

/**
 * Gives up every right of this process that llama.cpp does not need. The process cannot get them back. Call this before
 * anything else, because on Linux the program starts a second time. Never throws.
 * @param entry the program's file, as an absolute path.
 * @param mostLandlock a version of Linux' Landlock: tests act with it as if the kernel were older.
 * @returns how far the system confines each part, and why not further.
 */
export function confineProcess(entry: string, mostLandlock?: number): Confinement {
  const order = confinementOrder(process.env);
  if (order.off) return nothing("GLEANER_CONFINE=off has switched it off");
  const calls = native();
  if (calls === null) return nothing("the library for native calls (koffi) is not here");
  try {
    if (process.platform !== "linux") makeCache(order.cache);
    switch (process.platform) {
      case "linux":
        return confineLinux(calls, order, entry, mostLandlock);
      case "darwin":
        return confineMacos(calls, order, entry);
      case "win32":
        return confineWindows(calls);
      default:
        return nothing(`Gleaner knows no confinement for ${process.platform}`);
    }
  } catch (error) {
    return nothing(`the confinement failed (${failureOf(error)})`);
  }
}
