import { readdirSync } from "node:fs";
import { constants, setPriority } from "node:os";

/**
 * Puts this process behind everybody else's. On Linux a process's priority is each thread's own, and
 * new threads inherit their creator's: so call it before a model is loaded, and again once the library's
 * threads exist. A refusal is no failure: the work is right, only less polite.
 */
export function lowerPriority(): void {
  for (const id of threadIds()) {
    try {
      setPriority(id, constants.priority.PRIORITY_LOW);
    } catch {
      // The thread ended meanwhile, or the system does not let us.
    }
  }
}

function threadIds(): readonly number[] {
  if (process.platform !== "linux") return [process.pid];
  try {
    return readdirSync("/proc/self/task").map(Number);
  } catch {
    return [process.pid];
  }
}
