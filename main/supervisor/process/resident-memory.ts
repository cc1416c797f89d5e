import { readFileSync } from "node:fs";

/**
 * What a process holds in memory now, in MB (2^20 bytes), the pages of its mapped model among them: they push out
 * other programs' files. Null where only the process itself could say (other systems than Linux), or once it is gone.
 */
export function residentMb(pid: number): number | null {
  if (process.platform !== "linux") return null;
  try {
    return parseResidentMb(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return null;
  }
}

/** VmRSS of /proc/PID/status (proc(5)); statm would count in pages, whose size Node does not tell. */
export function parseResidentMb(status: string): number | null {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) / 1_024;
}
