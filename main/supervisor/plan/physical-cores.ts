import { join } from "node:path";
import { listFolder, readText } from "../../sensors/base/read-file.ts";
import { runSubprocess } from "../../sensors/base/subprocess.ts";
import { systemProgram } from "../../system-programs.ts";

/** The physical cores of this computer's processors; null if unknown. */
export type Cores = {
  readonly physical: number | null;
  /** Of these, the ones that are slower and save energy. Only macOS tells. */
  readonly efficiency: number | null;
};

const unknownCores: Cores = { physical: null, efficiency: null };

/** Asks the system, once. Only Linux needs no other program for it. */
export async function coresOfThisComputer(platform: NodeJS.Platform = process.platform): Promise<Cores> {
  switch (platform) {
    case "linux":
      return { physical: coresInSys("/sys/devices/system/cpu"), efficiency: null };
    case "darwin":
      return {
        physical: await askNumber("/usr/sbin/sysctl", ["-n", "hw.physicalcpu"]),
        // Level 0 has the performance cores. Older processors have no levels.
        efficiency: await askNumber("/usr/sbin/sysctl", ["-n", "hw.perflevel1.physicalcpu"]),
      };
    case "win32":
      return {
        physical: await askNumber(systemProgram("powershell", "win32"), windowsArgs),
        efficiency: null,
      };
    default:
      return unknownCores;
  }
}

const windowsArgs = [
  "-NoProfile",
  "-NonInteractive",
  "-Command",
  "(Get-CimInstance Win32_Processor | Measure-Object -Property NumberOfCores -Sum).Sum",
];

/** Two processors of the same core have the same list (`core_cpus_list`; `thread_siblings_list` before Linux 5.3). */
export function coresInSys(folder: string): number | null {
  const cores = new Set<string>();
  for (const name of listFolder(folder)) {
    if (!/^cpu\d+$/.test(name)) continue;
    const topology = join(folder, name, "topology");
    const list =
      readText(join(topology, "core_cpus_list")) ?? readText(join(topology, "thread_siblings_list"));
    // A processor that is switched off has none.
    if (list !== null) cores.add(list);
  }
  return cores.size === 0 ? null : cores.size;
}

async function askNumber(program: string, args: readonly string[]): Promise<number | null> {
  const result = await runSubprocess(program, args, { timeoutMs: 20_000 });
  return result.kind === "ok" ? countIn(result.stdout) : null;
}

/** A count of cores that a program has printed; null for anything else. */
export function countIn(printed: string): number | null {
  const count = /^\s*(\d{1,4})\s*$/.exec(printed)?.[1];
  return count === undefined || Number(count) === 0 ? null : Number(count);
}
