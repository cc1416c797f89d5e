import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { joinIdleGroup, leaveIdleGroup, removeIdleGroup } from "../../supervisor/process/idle-group.ts";

/**
 * For tests alone (GLEANER_TEST_PRIORITY=normal): at the lowest priority the runner stands still for as long as anything
 * else wants the processors, and tests share theirs with other tests.
 */
export const keepsPriority = process.env["GLEANER_TEST_PRIORITY"] === "normal";

/**
 * Puts this process behind everybody else's. On Linux a process's priority is each thread's own, and
 * new threads inherit their creator's: so call it before a model is loaded, and again once the library's
 * threads exist. A refusal is no failure: the work is right, only less polite.
 */
export function lowerPriority(): void {
  if (keepsPriority) return;
  for (const id of threadIds()) {
    try {
      setPriority(id, constants.priority.PRIORITY_LOW);
    } catch {
      // The thread ended meanwhile, or the system does not let us.
    }
  }
}

/**
 * What is to be said of the whole process, once, when it starts. Linux shares the processor among sessions before it
 * looks at priorities within them (sched(7), "The autogroup feature"): without this, work at the lowest priority takes
 * half of a core from a program in another session. A group that is idle as a whole, where the system lets us have one,
 * costs the others less still. macOS: background quality of service, which stays on efficiency cores and throttles its
 * reads.
 */
export function lowerProcess(): void {
  if (keepsPriority) return;
  lowerPriority();
  if (process.platform === "linux") {
    joinIdleGroup();
    lowerSession();
  }
  if (process.platform === "darwin") {
    spawn("/usr/sbin/taskpolicy", ["-b", "-p", String(process.pid)], { stdio: "ignore" }).once(
      "error",
      () => undefined,
    );
  }
}

/** For a runner that was just killed: nobody gains by its memory coming back late. */
export function hastenEnd(pid: number): void {
  if (!keepsPriority && process.platform === "linux") leaveIdleGroup(pid);
}

/** What was made for runners goes, if no other donor's is in it. For whoever started them, at the end. */
export function tidyPriority(): void {
  if (!keepsPriority && process.platform === "linux") removeIdleGroup();
}

function lowerSession(): void {
  try {
    // Only where the session is the runner's alone: else the app, or its user's shell, would be lowered too.
    if (sessionOf(readFileSync("/proc/self/stat", "utf8")) !== process.pid) return;
    writeFileSync("/proc/self/autogroup", "19");
  } catch {
    // A kernel without sessions' groups shares by priorities alone.
  }
}

/** The session's id out of /proc/PID/stat (proc(5), field 6). */
export function sessionOf(stat: string): number {
  // The second field is the program's name in parentheses, and may hold anything.
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3]);
}

function threadIds(): readonly number[] {
  if (process.platform !== "linux") return [process.pid];
  try {
    return readdirSync("/proc/self/task").map(Number);
  } catch {
    return [process.pid];
  }
}
