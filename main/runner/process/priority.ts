import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { keepsPriority } from "../../../app/contract/runner-start.ts";
import { native } from "../confine/native.ts";
import { powerThrottling, processPowerThrottling } from "../confine/windows/structures.ts";

/**
 * Puts this process behind all other programs. On Linux each thread has its own priority, and a new thread inherits its
 * creator's, so this lowers those of the threads to come as well. Call it once, at the start: a confined process may no
 * longer change priorities. If the system refuses, the work is still right, only less polite.
 *
 * Linux shares the processor among sessions before it looks at the priorities within them (sched(7), "The autogroup
 * feature"). Without a low session priority, work at the lowest priority takes half of a core from a program in another
 * session. macOS: background quality of service, which stays on efficiency cores and throttles reads. Windows:
 * efficiency mode.
 */
export function lowerProcessPriority(): void {
  if (keepsPriority(process.env)) return;
  for (const id of threadIds()) {
    try {
      setPriority(id, constants.priority.PRIORITY_LOW);
    } catch {
      // The thread has ended, or the system refuses.
    }
  }
  if (process.platform === "linux") lowerSession();
  throttleBySystem(process.platform);
}

/** PRIO_DARWIN_PROCESS and PRIO_DARWIN_BG of macOS' sys/resource.h. */
const darwinBackground = { which: 4, priority: 0x1000 } as const;

/** macOS' background quality of service; Windows' efficiency mode ("EcoQoS"). */
function throttleBySystem(platform: NodeJS.Platform): void {
  try {
    if (platform === "darwin") {
      const libc = native()?.open("/usr/lib/libSystem.B.dylib");
      const { which, priority } = darwinBackground;
      libc?.func("int setpriority(int, uint32_t, int)")(which, 0, priority);
    }
    if (platform === "win32") {
      const kernel32 = native()?.open("kernel32.dll");
      const state = powerThrottling();
      const self: unknown = kernel32?.func("void *GetCurrentProcess(void)")();
      kernel32?.func("bool SetProcessInformation(void *, int, void *, uint32_t)")(
        self,
        processPowerThrottling,
        state,
        state.length,
      );
    }
  } catch {
    // An older system goes by priorities only.
  }
}

function lowerSession(): void {
  try {
    // Only in a session of the runner's own: otherwise this would lower the donor too, or its user's shell.
    if (sessionOf(readFileSync("/proc/self/stat", "utf8")) !== process.pid) return;
    writeFileSync("/proc/self/autogroup", "19");
  } catch {
    // A kernel without autogroups goes by priorities only.
  }
}

/** The session's id from /proc/PID/stat (proc(5), field 6). */
function sessionOf(stat: string): number {
  // The second field is the program's name in parentheses, which may contain any character.
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3]);
}

function threadIds(): readonly number[] {
  if (process.platform !== "linux") return [process.pid];
  try {
    // Not in reach at the second start of a confined program, whose threads inherited the first one's priority.
    return readdirSync("/proc/self/task").map(Number);
  } catch {
    return [process.pid];
  }
}
