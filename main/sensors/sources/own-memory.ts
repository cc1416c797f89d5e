import type { OwnMemory } from "./memory.ts";
import { readText } from "../base/read-file.ts";

/**
 * What the runner would give back: its own memory, without the pages of the mapped model, which the kernel counts as
 * available already. Elsewhere than on Linux unknown, and taken as none.
 */
export function runnerMemory(pid: () => number | undefined): OwnMemory {
  return () => {
    const runner = pid();
    if (runner === undefined || process.platform !== "linux") return 0;
    return parseAnonymousBytes(readText(`/proc/${runner}/status`) ?? "");
  };
}

/** RssAnon of /proc/PID/status (proc(5)), in bytes; 0 where it is not told. */
export function parseAnonymousBytes(status: string): number {
  const kib = /^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1];
  return kib === undefined ? 0 : Number(kib) * 1024;
}
