import { known, unknown } from "../../../app/facts/facts.ts";
import { systemProgram } from "../../system-programs.ts";
import type { OwnGpuUse } from "../base/own-use.ts";
import { runSubprocess } from "../base/subprocess.ts";
import { streamLines } from "../base/subprocess-stream.ts";
import { type GpuMeter, type GpuReading, share } from "./gpu-meter.ts";

/**
 * The counters "GPU Engine", by their WMI class: its names are the same in every language of Windows. Prints each engine
 * that is in use, and then how many engines there are.
 */
const once =
  "$rows = @(Get-CimInstance Win32_PerfFormattedData_GPUPerformanceCounters_GPUEngine -Property Name,UtilizationPercentage);" +
  ' $rows | Where-Object { $_.UtilizationPercentage -gt 0 } | ForEach-Object { "$($_.Name) $($_.UtilizationPercentage)" };' +
  ' "end $($rows.Count)"';

const seconds = 5;
const freshMs = seconds * 1_500;
/** PowerShell needs some seconds to start. */
const timeoutMs = 20_000;

/** What one process uses of one engine, 0 to 1. */
export type EngineUse = {
  readonly gpu: string;
  readonly engine: string;
  readonly pid: number;
  readonly load: number;
};

/**
 * Windows' own counters: for all vendors, by process. One PowerShell prints them while the donor works, since a start of
 * it takes a second. It ends with the donor.
 */
export function windowsMeter(
  own: OwnGpuUse,
  program: string = systemProgram("powershell", "win32"),
  now: () => number = () => performance.now(),
): GpuMeter {
  let round: string[] = [];
  /** Without any engine there is no GPU. */
  let hasEngines = true;
  let last: { readonly lines: readonly string[]; readonly at: number } | null = null;
  const take = (line: string): void => {
    if (line === "") return;
    round.push(line);
    if (!line.startsWith("end ")) return;
    last = { lines: round, at: now() };
    round = [];
  };
  const args = (script: string): readonly string[] => ["-NoProfile", "-NonInteractive", "-Command", script];
  const loop =
    `while (Get-Process -Id ${process.pid} -ErrorAction SilentlyContinue) { ${once}; ` +
    `[Console]::Out.Flush(); Start-Sleep -Seconds ${seconds} }`;
  return {
    source: "Windows' counters GPU Engine",
    open: () => {
      if (!hasEngines) return () => undefined;
      const end = streamLines(program, args(loop), take);
      return () => {
        end();
        round = [];
        last = null;
      };
    },
    read: async () => {
      if (!hasEngines) return [];
      if (last === null || now() - last.at >= freshMs) {
        const result = await runSubprocess(program, args(once), { timeoutMs });
        if (result.kind === "failed") return [];
        hasEngines = !/^end 0\r?$/m.test(result.stdout);
        return readEngines(result.stdout.split(/\r?\n/), own.processes());
      }
      return readEngines(last.lines, own.processes());
    },
  };
}

/** The load of each GPU's busiest engine. Nothing if the counters do not exist. */
export function readEngines(lines: readonly string[], ours: ReadonlySet<number>): readonly GpuReading[] {
  const count = lines.map((line) => /^end (\d+)$/.exec(line)?.[1]).find((found) => found !== undefined);
  if (count === undefined || Number(count) === 0) return [];
  const engines = new Map<string, { readonly gpu: string; load: number }>();
  for (const line of lines) {
    const use = parseEngine(line);
    if (use === null || ours.has(use.pid)) continue;
    const key = `${use.gpu} ${use.engine}`;
    const sum = engines.get(key) ?? { gpu: use.gpu, load: 0 };
    sum.load += use.load;
    engines.set(key, sum);
  }
  const loads = [...engines.values()].map(({ load }) => load);
  // The counters do not tell which GPU the runner would use, so the busiest counts.
  const otherLoad = known(share(Math.max(0, ...loads)));
  return [{ id: "any", index: "any", integrated: false, otherLoad, vramFreeMb: unknown }];
}

/** `pid_9524_luid_0x00000000_0x000095CA_phys_0_eng_0_engtype_3D 12` */
export function parseEngine(line: string): EngineUse | null {
  const found = /^pid_(\d+)_(luid_\w+_phys_\d+)_eng_(\d+)_engtype_.* (\d+)$/.exec(line.trim());
  if (found === null) return null;
  const [, pid, gpu = "", engine = "", percent] = found;
  return { gpu, engine, pid: Number(pid), load: Number(percent) / 100 };
}
