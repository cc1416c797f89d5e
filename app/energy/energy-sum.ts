import type { JobEnergy } from "./job-energy.ts";

/** The energy of jobs whose devices told it. */
export type EnergySum = {
  /** Millionths of a watt-hour. */
  microWh: number;
  /** The part of it that meters counted. */
  measuredMicroWh: number;
  /** How long devices worked on these jobs; ms. */
  runMs: number;
  /** The energy of the jobs that ended in each hour of the day (UTC), "0" to "23". Older sums lack it. */
  byHour?: Record<string, number>;
};

const hourMs = 3_600_000;

/**
 * The sum of one job. Undefined if its device did not tell its energy.
 * @param endedAt ms epoch. Null: its energy belongs to no hour.
 */
export function energySumOf(
  energy: JobEnergy | null,
  runMs: number,
  endedAt: number | null,
): EnergySum | undefined {
  if (energy === null) return undefined;
  const { microWh, source } = energy;
  const sum = { microWh, measuredMicroWh: source === "measured" ? microWh : 0, runMs };
  if (endedAt === null) return sum;
  return { ...sum, byHour: { [String(Math.floor(endedAt / hourMs) % 24)]: microWh } };
}

/** The sum of all of them. Undefined if none is known. */
export function mergeEnergy(sums: readonly (EnergySum | undefined)[]): EnergySum | undefined {
  const known = sums.filter((sum) => sum !== undefined);
  if (known.length === 0) return undefined;
  const all: EnergySum = { microWh: 0, measuredMicroWh: 0, runMs: 0 };
  const byHour: Record<string, number> = {};
  for (const { microWh, measuredMicroWh, runMs, byHour: hours = {} } of known) {
    all.microWh += microWh;
    all.measuredMicroWh += measuredMicroWh;
    all.runMs += runMs;
    for (const [hour, part] of Object.entries(hours)) byHour[hour] = (byHour[hour] ?? 0) + part;
  }
  return Object.keys(byHour).length === 0 ? all : { ...all, byHour };
}
