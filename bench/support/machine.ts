import { availableParallelism, cpus, loadavg, totalmem } from "node:os";

/** The machine under a measurement. */
type Machine = {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGb: number;
  /** Programs that ran or waited for a processor, over the last minute. */
  readonly load: number;
};

/** Reads the load of now, so call it before the measurement starts. */
export function machineNow(): Machine {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? "unknown",
    memoryGb: totalmem() / 1e9,
    load: loadavg()[0] ?? 0,
  };
}

export function machineLine({ cores, processor, memoryGb, load }: Machine): string {
  return `  ${cores} cores (${processor}), ${memoryGb} GB, load ${load} before the start`;
}
