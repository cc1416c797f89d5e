import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The resident memory of a process and its descendants. On Linux and macOS. */
export function residentBytes(pid: number): number {
  const processes = listProcesses();
  let total = 0;
  const pending = [pid];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const current = next;
    total += processes.find((each) => each.pid === current)?.kilobytes ?? 0;
    pending.push(...processes.filter(({ parent }) => parent === current).map((child) => child.pid));
  }
  return total * 1024;
}

/** The anonymous part of one process's memory, which the program itself allocated. Only on Linux. */
export function anonymousBytes(pid: number): number | null {
  try {
    const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch {
    return null;
  }
}

type ProcessRow = { readonly pid: number; readonly parent: number; readonly kilobytes: number };

function listProcesses(): readonly ProcessRow[] {
  const text = execFileSync("ps", ["-A", "-o", "pid=,ppid=,rss="], { encoding: "utf8" });
  return text
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([pid = -1, parent = -1, kilobytes = 0]) => ({ pid, parent, kilobytes }));
}
