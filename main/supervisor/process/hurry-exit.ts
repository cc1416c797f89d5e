import { readFileSync, writeFileSync } from "node:fs";
import { leaveIdleGroup } from "./idle-group.ts";

/**
 * Lets a runner that was just killed free its memory at once. The kernel does that in the dying process, so it would take a second or
 * two at the lowest priority if all processors are busy. Blocks for up to some milliseconds.
 */
export function hurryExit(pid: number): void {
  leaveIdleGroup(pid);
  raiseSession(pid);
}

/** Linux. A session of its own has the lowest part of the processor: `lowerProcessPriority`. */
function raiseSession(pid: number): void {
  try {
    const path = `/proc/${pid}/autogroup`;
    if (readFileSync(path, "utf8").trim().endsWith("nice 19")) writeFileSync(path, "0");
  } catch {
    // It has exited already, the kernel has no autogroups, or another program changed one in the last tenth of a second.
  }
}
