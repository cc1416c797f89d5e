import { freemem } from "node:os";
import { known, unknown } from "../../../app/facts/facts.ts";
import type { OwnMemory } from "../base/own-use.ts";
import { readText } from "../base/read-file.ts";
import type { Sensor } from "../base/sensor.ts";
import { runSubprocess } from "../base/subprocess.ts";

const bytesPerMb = 1024 * 1024;

/** Available memory on Linux. This is more than the free memory, because the kernel can shrink its caches. */
export function linuxMemorySensor(own: OwnMemory, path = "/proc/meminfo"): Sensor {
  return {
    source: path,
    facts: ["memoryFreeMb"],
    everyMs: 15_000,
    sample: () => {
      const available = parseMemAvailable(readText(path) ?? "");
      return {
        memoryFreeMb: available === null ? unknown : known(Math.round((available + own()) / bytesPerMb)),
      };
    },
  };
}

/** Bytes from /proc/meminfo (proc(5)). Null if the kernel is too old to report them. */
export function parseMemAvailable(text: string): number | null {
  const kib = /^MemAvailable: +(\d+) kB$/m.exec(text)?.[1];
  return kib === undefined ? null : Number(kib) * 1024;
}

/** On Windows, `freemem` is the available memory. */
export function windowsMemorySensor(own: OwnMemory): Sensor {
  return {
    source: "the system's free memory",
    facts: ["memoryFreeMb"],
    everyMs: 15_000,
    sample: () => ({ memoryFreeMb: known(Math.round((freemem() + own()) / bytesPerMb)) }),
  };
}

/** macOS keeps hardly any memory free. vm_stat reports the available memory. */
export function macMemorySensor(own: OwnMemory): Sensor {
  return {
    source: "vm_stat",
    facts: ["memoryFreeMb"],
    everyMs: 300_000,
    subprocessEveryMs: 300_000,
    sample: async () => {
      const result = await runSubprocess("/usr/bin/vm_stat", []);
      const available = result.kind === "ok" ? parseVmStat(result.stdout) : null;
      return available === null ? {} : { memoryFreeMb: known(Math.round((available + own()) / bytesPerMb)) };
    },
  };
}

/** Bytes that macOS can make available: free, inactive, speculative and purgeable pages. */
export function parseVmStat(text: string): number | null {
  const pageSize = Number(/page size of (\d+) bytes/.exec(text)?.[1]);
  if (!Number.isFinite(pageSize)) return null;
  let pages = 0;
  for (const name of ["Pages free", "Pages inactive", "Pages speculative", "Pages purgeable"]) {
    const count = new RegExp(`^${name}: +(\\d+)\\.$`, "m").exec(text)?.[1];
    if (count === undefined && name === "Pages free") return null;
    pages += Number(count ?? 0);
  }
  return pages * pageSize;
}
