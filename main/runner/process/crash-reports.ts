import { type Native, native } from "../confine/native.ts";
import { crashReporting } from "../confine/windows/structures.ts";

/** RLIMIT_CORE of macOS' sys/resource.h. */
const coreLimit = 4;

/**
 * Keeps the system from writing this process's memory, which holds prompts, to disk after a crash. Call it at the start,
 * whether the process is confined or not. On Linux the donor does it before this process starts (core-dumps.ts).
 */
export function forbidCrashReports(
  platform: NodeJS.Platform = process.platform,
  calls: () => Native | null = native,
): void {
  const system = platform === "win32" || platform === "darwin" ? calls() : null;
  if (system === null) return;
  if (platform === "darwin") {
    attempt(() => {
      const setLimit = system.open("/usr/lib/libSystem.B.dylib").func("int setrlimit(int, void *)") as Call;
      // The current limit and the highest, 8 bytes each.
      setLimit(coreLimit, Buffer.alloc(16));
    });
    return;
  }
  attempt(() => {
    const setMode = system.open("kernel32.dll").func("uint32_t SetErrorMode(uint32_t)") as Call;
    setMode(crashReporting.errorMode);
  });
  // For errors that end a process without asking its error mode.
  attempt(() => {
    const setFlags = system.open("kernel32.dll").func("int32_t WerSetFlags(uint32_t)") as Call;
    setFlags(crashReporting.reporting);
  });
  attempt(() => {
    const setAbort = system
      .open("ucrtbase.dll")
      .func("uint32_t _set_abort_behavior(uint32_t, uint32_t)") as Call;
    setAbort(0, crashReporting.abort);
  });
}

type Call = (...args: readonly unknown[]) => unknown;

function attempt(step: () => void): void {
  try {
    step();
  } catch {
    // An older system lacks the function. The others hold nevertheless.
  }
}
