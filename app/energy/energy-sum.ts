import type { JobEnergy } from "./job-energy.ts";

/** The energy of jobs whose devices told it. */
export type EnergySum = {
  /** Millionths of a watt-hour. */
  microWh: number;
  /** The part of it that meters counted. */
  measuredMicroWh: number;
  /** How long devices worked on these jobs; ms. */
  runMs: number;
};

/** The sum of one job. Undefined if its device did not tell its energy. */
export function energySumOf(energy: JobEnergy | null, runMs: number): EnergySum | undefined {
  if (energy === null) return undefined;
  const { microWh, source } = energy;
  return { microWh, measuredMicroWh: source === "measured" ? microWh : 0, runMs };
}

/** The sum of all of them. Undefined if none is known. */
export function mergeEnergy(sums: readonly (EnergySum | undefined)[]): EnergySum | undefined {
  const known = sums.filter((sum) => sum !== undefined);
  if (known.length === 0) return undefined;
  const all: EnergySum = { microWh: 0, measuredMicroWh: 0, runMs: 0 };
  for (const { microWh, measuredMicroWh, runMs } of known) {
    all.microWh += microWh;
    all.measuredMicroWh += measuredMicroWh;
    all.runMs += runMs;
  }
  return all;
}
